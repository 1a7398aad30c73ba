/* SPDX-License-Identifier: BSD-2-Clause */
/* Sensitivities over one kind of number against columns of other functions. Included by properties_parameters.c with
 * NUMBER, NAME(x) the function x of that kind, CHECK the name of what is defined, STATE the state's numbers, and
 * EPSILON. */

static double CHECK(state *x, const jn_scalar *s, int which, const column *expected) {
  const jn_model *m = x->s->m;
  const int n = x->d->nv;
  const call *c = &x->x[STATE];
  const NUMBER *q = c->in[IN_q], *v = c->in[IN_v], *a = c->in[IN_a], *tau = c->in[IN_tau], *W = c->in[IN_wrench];
  NUMBER *room = calloc(jn_perturbation_room(m) + 4 * (size_t)n, sizeof *room), *out = room + jn_perturbation_room(m);
  NAME(perturbation) p;
  double worst = 0;
  check_ok(NAME(perturbation_of)(m, c->w, s, q, v, room, &p));
  if (which == 0) check_ok(NAME(inverse_dynamics_sensitivity)(m, c->w, q, v, a, W, 1, &p, out));
  if (which == 1) check_ok(NAME(forward_dynamics_sensitivity)(m, c->w, q, v, tau, W, 1, &p, out + n, out));
  if (which == 2)
    check_ok(NAME(hybrid_dynamics_sensitivity)(m, c->w, x->d->prescribed, q, v, a, tau, W, 1, &p, out + 2 * n,
                                               out + 3 * n, out, out + n));
  for (int o = 0; o < (which == 2 ? 2 : 1); o++)
    for (int k = 0; k < n && expected[o].of; k++) {
      number e = (number)out[o * n + k] - expected[o].sign * expected[o].of[k * expected[o].stride];
      worst = fmax(worst, (double)fabsl(e) / (expected[o].size * EPSILON));
    }
  free(room);
  return worst;
}
