/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval in parts: eval.c the command, states/read.c reads states (from
 * states/source.c JSON or states/arrays.c NumPy arrays), wants.c has the table of what can be
 * wanted, dynamics.c, jets.c, kinematics.c, derivatives.c, regressor.c, closed.c and
 * loops.c compute it, batch.c many states ahead, stream.c one a line. docs/eval.md. Does not include
 * text/json.h, whose names are also those of jansson: states/read.c needs the latter. */
#ifndef JN_TOOL_EVAL_H
#define JN_TOOL_EVAL_H

#include <jounce/derivatives.h>
#include <jounce/loops.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../states/states.h"

struct json_writer;

/* ---- What can be wanted ---- */

typedef struct eval_block eval_block;

typedef struct evaluation {
  const jn_model *model;
  jn_work *work;
  const eval_state *state;
  int order;              /* --order, for jets */
  int frame;              /* of --link; JN_NONE: all frames */
  jn_representation in;   /* --in */
  jn_representation hold; /* --hold */
  int losses;             /* --losses */
  jn_loops *loops;        /* NULL: a model without loops */
  jn_loops_choice choice; /* --solution */
  int lambda;             /* --lambda: LAMBDA_... */
  eval_block *block;      /* results of many states ahead; NULL: one by one */
  size_t limit;           /* of the results of one state [bytes], 0: none */
  double *room;           /* see eval_room() */
  size_t room_count;
  FILE *messages; /* stderr, or where eval_stream() collects what it says of a line */
  int first;      /* --shard: number of the first state of the part */
  bool stream;    /* --stream: messages do not begin with the number of the state */
} evaluation;

/* Begins a message on a state: where to write the rest of the line. eval.c */
FILE *eval_message(const evaluation *e, int state);

/* What the multipliers belong to: words of --lambda. */
enum { LAMBDA_DDQ, LAMBDA_TAU, LAMBDA_HYBRID };

/* Memory for `count` doubles, which stays valid until the next call. */
double *eval_room(evaluation *e, size_t count);

/* Computes one thing at the state and writes it under `key`. j NULL: only computes, to learn the status. What can be
 * singular writes nothing when it is. */
typedef jn_status want_function(evaluation *e, struct json_writer *j, const char *key);

enum {
  WANT_SOLVES = 1,     /* can be singular: is computed for every state before anything is written */
  WANT_JET = 2,        /* uses --order */
  WANT_TENSOR = 4,     /* has three or more indices of coordinates: may be too large, as before; not part of `all` */
  WANT_PARAMETERS = 8, /* by the inertial parameters: model.links tells their order; may be too large */
  WANT_CLOSED = 16     /* of the closed system, when there are loops: needs a state that closes them, can fail */
};

typedef struct eval_want {
  const char *name;
  const char *help; /* one line */
  unsigned is;      /* WANT_... */
  want_function *run;
} eval_want;

int eval_want_count(void);
const eval_want *eval_want_at(int i);
const eval_want *eval_find_want(const char *name); /* NULL when there is none */

/* What is wanted, in the order of the command line, each once. */
typedef struct want_list {
  const eval_want **wants;
  int count;
  bool all;        /* --want all: what is singular becomes null */
  bool show_state; /* q and v first, as --assemble made them */
} want_list;

/* The results at e->state, the s-th, as members of the object that is open. EXIT_FINE, or EXIT_BAD after a message.
 * eval.c */
int eval_write_state(evaluation *e, struct json_writer *j, const want_list *list, int s);

/* ---- One state a line: stream.c ---- */

typedef struct eval_stream_arg {
  const eval_need *need;
  const want_list *list;
  const char *input; /* a file, NULL or "-": standard input */
  size_t limit;      /* bytes of a line */
  bool assemble, closed;
} eval_stream_arg;

/* Reads states line by line and writes a line for each, until the input ends. An exit code. */
int eval_stream(evaluation *e, const eval_stream_arg *arg);

/* ---- Many states at once: batch.c ---- */

/* Makes e->block for the wanted names, or leaves it NULL when none of them, or too few states, go that way. */
void eval_block_create(evaluation *e, const eval_want *const *wants, int count, int states);
void eval_block_free(evaluation *e);
/* At state number s: computes the block that begins there, when one does; of wants that are one of `only` (WANT_...; 0:
 * all). */
void eval_block_begin(evaluation *e, const eval_states *states, int s, const eval_want *const *wants, int count,
                      unsigned only);
/* Copies what the library's function behind this name gave for e->state; false: it has to be called. */
bool eval_ahead(const evaluation *e, const char *want, double *out);

/* The state's tau [nv], with --losses less the losses; `loss` [nv] is scratch. dynamics.c */
jn_status eval_driving_forces(const evaluation *e, double *loss, double *force);

/* d loss / dv, which is diagonal: damping [nv], zero without --losses. derivatives.c */
jn_status eval_damping(const evaluation *e, double *damping);
/* The motion v_out [(order+2) x nv] that the state's forces make, less the losses; with `tau_out` [(order+1) x nv]
 * prescribed joints keep theirs; multipliers of loops lambda [(order+1) x m] (may be NULL). `force` [(order+1) x nv]
 * and `loss` [2 nv] are scratch. dynamics.c */
jn_status eval_motion(const evaluation *e, int order, double *force, double *loss, double *v_out, double *tau_out,
                      double *lambda);
/* Of the closed system: tau [(order+1) x nv] of the actuated joints, lambda (may be NULL). The others have no force of
 * their own, but losses, which act as if they had: passive [(order+1) x nv]. `loss` [2 nv] is scratch. dynamics.c
 */
jn_status eval_closed_inverse(const evaluation *e, int order, double *passive, double *loss, double *tau,
                              double *lambda);

/* ---- Of the closed system: closed.c. `room` has eval_closed_room() numbers. ---- */

/* By what: the last is a of inverse, tau of forward dynamics, what is given of hybrid. */
typedef enum eval_part { BY_Q, BY_V, BY_LAST, BY_WRENCH, PARTS } eval_part;

/* Wrenches on the links for functions of the tree, [(order+1) x nlink x 6]: the state's own, with loops together with
 * those of the multipliers of inverse dynamics. `room` has eval_loaded_room() numbers. */
size_t eval_loaded_room(const evaluation *e, int order);
jn_status eval_loaded_links(const evaluation *e, int order, double *room, const double **wrench);

size_t eval_closed_room(const evaluation *e);
/* D [nv x ...] as the tree's. */
jn_status eval_closed_dtau(const evaluation *e, eval_part p, double *room, double *D);
jn_status eval_closed_ddq(const evaluation *e, eval_part p, double *room, double *D);
jn_status eval_closed_ddq_dpi(const evaluation *e, double *room, double *D);
/* Without the losses' part of the derivatives. */
jn_status eval_closed_hybrid(const evaluation *e, double *room, jn_hybrid_derivatives *d);

/* For models with loops: with `close`, closes them in all states; with `check`, refuses states that do not close them.
 * OPTION_GO_ON, or an exit code after a message. loops.c */
int eval_close_states(evaluation *e, eval_states *list, bool close, bool check);
/* What to do about a status of closed loops, into text [size]; unchanged when there is nothing to say. loops.c */
void eval_loops_advice(const evaluation *e, const char *want, jn_status status, char *text, size_t size);

/* dynamics.c */
want_function want_tau, want_ddq, want_hybrid, want_mass_matrix, want_mass_matrix_inverse, want_coriolis_matrix,
    want_coriolis_christoffel, want_mass_matrix_rate, want_gravity, want_bias, want_energy, want_joint_wrenches,
    want_tau_jets, want_ddq_jets, want_hybrid_jets;
/* jets.c */
want_function want_mass_matrix_jets, want_coriolis_matrix_jets, want_gravity_jets, want_twist_jets, want_jacobian_jets,
    want_rate_matrices, want_joint_wrenches_jets, want_momentum_jets, want_com_jets, want_energy_jets;
/* derivatives.c */
want_function want_dtau_dq, want_dtau_dv, want_dtau_da, want_dtau_dwrench, want_da_dq, want_da_dv, want_da_dtau,
    want_da_dwrench, want_hybrid_derivatives, want_gravity_dq, want_mass_matrix_dq, want_mass_matrix_inverse_dq,
    want_coriolis_matrix_dq, want_coriolis_matrix_dv, want_mass_matrix_rate_dq, want_mass_matrix_rate_dv,
    want_second_tau, want_second_a, want_dtau_jets;
/* loops.c */
want_function want_lambda, want_lambda_jets, want_loop_wrenches, want_constraint, want_constraint_matrix, want_mobility;
/* closed.c */
want_function want_lambda_derivatives;
/* regressor.c */
want_function want_parameters, want_regressor, want_slotine_li_regressor, want_gravity_regressor, want_energy_regressor,
    want_momentum_regressor, want_regressor_jets, want_gravity_dpi, want_mass_matrix_dpi, want_coriolis_matrix_dpi,
    want_da_dpi;
/* kinematics.c */
want_function want_momentum, want_momentum_matrix, want_momentum_matrix_rate, want_com, want_com_jacobian, want_pose,
    want_twist, want_acceleration, want_jacobian, want_jacobian_rate, want_space_jacobian, want_space_jacobian_rate;

#endif
