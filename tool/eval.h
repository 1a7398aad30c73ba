/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval in parts: eval.c the command, eval_input.c reads states, eval_wants.c has the table of what can be
 * wanted, eval_dynamics.c and eval_kinematics.c compute it. docs/eval.md. Does not include json.h, whose names are also
 * those of jansson: eval_input.c needs the latter. */
#ifndef JN_TOOL_EVAL_H
#define JN_TOOL_EVAL_H

#include <jounce/jets.h>
#include <stdbool.h>

struct json_writer;

/* ---- States ---- */

/* What the names with time derivatives need. */
typedef struct eval_need {
  int order;           /* K; 0 when there are no such names */
  const char *motion;  /* a wanted name that needs all rows of v_jets: tau_jets, M_jets, ...; or NULL */
  bool forward, mixed; /* ddq_jets, hybrid_jets is wanted */
} eval_need;

typedef struct eval_state {
  double *q;                 /* [nq] */
  double *v, *a;             /* [nv]; v: the jet [(K+2) x nv], of which a is row 1 */
  double *tau;               /* [nv], the jet [(K+1) x nv] */
  double *wrench;            /* [nlink x 6], the jet [(K+1) x nlink x 6]; NULL: none */
  unsigned char *prescribed; /* [nv] */
} eval_state;

typedef struct eval_states {
  eval_state *states;
  int count;
} eval_states;

/* A state in which nothing has moved, at rest, without forces; a list of one such state. */
void eval_state_init(eval_state *state, const jn_model *model, int order);
void eval_neutral_state(const jn_model *model, int order, eval_states *list);
void eval_states_free(eval_states *list);

/* Read states from a file or from standard input ("-"; NULL: the same, but nothing at all is one neutral state).
 * OPTION_GO_ON, or an exit code after all mistakes have been told on stderr. */
int eval_read_states(const jn_model *model, const eval_need *need, const char *file, eval_states *list);

/* ---- What can be wanted ---- */

typedef struct evaluation {
  const jn_model *model;
  jn_work *work;
  const eval_state *state;
  int order;            /* --order, for jets */
  int frame;            /* of --link; JN_NONE: all frames */
  jn_representation in; /* --frame */
  int losses;           /* --losses */
  double *room;         /* see eval_room() */
  size_t room_count;
} evaluation;

/* Memory for `count` doubles, which stays valid until the next call. */
double *eval_room(evaluation *e, size_t count);

/* Computes one thing at the state and writes it under `key`. j NULL: only computes, to learn the status. What can be
 * singular writes nothing when it is. */
typedef jn_status want_function(evaluation *e, struct json_writer *j, const char *key);

typedef struct eval_want {
  const char *name;
  const char *help; /* one line */
  bool solves;      /* can be singular: is computed for every state before anything is written */
  bool jet;         /* uses --order */
  want_function *run;
} eval_want;

int eval_want_count(void);
const eval_want *eval_want_at(int i);
const eval_want *eval_find_want(const char *name); /* NULL when there is none */

/* eval_dynamics.c */
want_function want_tau, want_ddq, want_hybrid, want_mass_matrix, want_mass_matrix_inverse, want_coriolis_matrix,
    want_mass_matrix_rate, want_gravity, want_bias, want_energy, want_joint_wrenches, want_tau_jets, want_ddq_jets,
    want_hybrid_jets;
/* eval_jets.c */
want_function want_mass_matrix_jets, want_coriolis_matrix_jets, want_gravity_jets, want_twist_jets, want_jacobian_jets;
/* eval_kinematics.c */
want_function want_momentum, want_momentum_matrix, want_momentum_matrix_rate, want_com, want_com_jacobian, want_pose,
    want_twist, want_acceleration, want_jacobian, want_jacobian_rate;

#endif
