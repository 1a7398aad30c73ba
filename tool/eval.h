/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval in parts: eval.c the command, eval_input.c reads states (from
 * eval_source.c JSON or eval_arrays.c NumPy arrays), eval_wants.c has the table of what can be
 * wanted, eval_dynamics.c, eval_jets.c, eval_kinematics.c, eval_derivatives.c, eval_regressor.c, eval_closed.c and
 * eval_loops.c compute it, eval_batch.c many states ahead, eval_stream.c one a line. docs/eval.md. Does not include
 * json.h, whose names are also those of jansson: eval_input.c needs the latter. */
#ifndef JN_TOOL_EVAL_H
#define JN_TOOL_EVAL_H

#include <jounce/derivatives.h>
#include <jounce/loops.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_writer;
struct model_arg;
struct shard;

/* ---- States ---- */

/* What the names with time derivatives need. */
typedef struct eval_need {
  int order;                     /* K; 0 when there are no such names */
  const char *motion;            /* a wanted name that needs all rows of v_jets: tau_jets, M_jets, ...; or NULL */
  const char *forward;           /* one that needs tau_jets of all joints: ddq_jets, ...; or NULL */
  const struct model_arg *model; /* whose keyframes key:NAME names; NULL: none */
  const char *mixed; /* one that needs v_jets of prescribed joints and tau_jets of the others: hybrid_jets, ... */
} eval_need;

typedef struct eval_state {
  double *q;                 /* [nq] */
  double *v, *a;             /* [nv]; v: the jet [(K+2) x nv], of which a is row 1 */
  double *tau;               /* [nv], the jet [(K+1) x nv] */
  double *v_r, *a_r;         /* [nv] of Slotine and Li's regressor */
  double *wrench;            /* [nlink x 6], the jet [(K+1) x nlink x 6]; NULL: none */
  unsigned char *prescribed; /* [nv] */
  unsigned char *actuated;   /* [nv] of models with loops */
  unsigned char *held;       /* [nv] of --assemble */
  bool has_actuated;         /* the field is there */
} eval_state;

typedef struct eval_states {
  eval_state *states;
  int count;
  uint64_t source; /* a fingerprint of the input that they were read from */
} eval_states;

/* A state in which nothing has moved, at rest, without forces; a list of one such state. */
void eval_state_init(eval_state *state, const jn_model *model, int order);
/* That one state takes, with or without wrenches. */
size_t eval_state_bytes(const jn_model *model, int order, bool wrenches);
void eval_neutral_state(const jn_model *model, int order, eval_states *list);
void eval_states_free(eval_states *list);
/* Of a list that has all states: keeps those of the part (NULL or count 0: all), if these are all or none. */
void eval_keep_part(eval_states *list, struct shard *part);

/* Read one state from a line of JSON. false after mistakes were told on `messages`, one a line. */
bool eval_read_line(const jn_model *model, const eval_need *need, const char *text, size_t length, size_t limit,
                    FILE *messages, eval_states *list);

/* Read states from a file, a keyframe (key:NAME) or from standard input ("-"; NULL: the same, but nothing at all is one
 * neutral state). The file has JSON, or NumPy arrays (NPY, NPZ). With a `part` (NULL or count 0: none), only its states
 * are parsed, and part->first, last and total are set. OPTION_GO_ON, or an exit code after all mistakes have been
 * reported on stderr; the list is empty then. */
int eval_read_states(const jn_model *model, const eval_need *need, const char *file, size_t limit, struct shard *part,
                     eval_states *list);

/* ---- What can be wanted ---- */

typedef struct eval_block eval_block;

typedef struct evaluation {
  const jn_model *model;
  jn_work *work;
  const eval_state *state;
  int order;              /* --order, for jets */
  int frame;              /* of --link; JN_NONE: all frames */
  jn_representation in;   /* --frame */
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

/* ---- One state a line: eval_stream.c ---- */

typedef struct eval_stream_arg {
  const eval_need *need;
  const want_list *list;
  const char *input; /* a file, NULL or "-": standard input */
  size_t limit;      /* bytes of a line */
  bool assemble, closed;
} eval_stream_arg;

/* Reads states line by line and writes a line for each, until the input ends. An exit code. */
int eval_stream(evaluation *e, const eval_stream_arg *arg);

/* ---- Many states at once: eval_batch.c ---- */

/* Makes e->block for the wanted names, or leaves it NULL when none of them, or too few states, go that way. */
void eval_block_create(evaluation *e, const eval_want *const *wants, int count, int states);
void eval_block_free(evaluation *e);
/* At state number s: computes the block that begins there, when one does; of wants that are one of `only` (WANT_...; 0:
 * all). */
void eval_block_begin(evaluation *e, const eval_states *states, int s, const eval_want *const *wants, int count,
                      unsigned only);
/* Copies what the library's function behind this name gave for e->state; false: it has to be called. */
bool eval_ahead(const evaluation *e, const char *want, double *out);

/* The state's tau [nv], with --losses less the losses; `loss` [nv] is scratch. eval_dynamics.c */
jn_status eval_driving_forces(const evaluation *e, double *loss, double *force);

/* d loss / dv, which is diagonal: damping [nv], zero without --losses; `room` [2 nv]. eval_derivatives.c */
jn_status eval_damping(const evaluation *e, double *room, double *damping);
/* The motion v_out [(order+2) x nv] that the state's forces make, less the losses; with `tau_out` [(order+1) x nv]
 * prescribed joints keep theirs; multipliers of loops lambda [(order+1) x m] (may be NULL). `force` [(order+1) x nv]
 * and `loss` [2 nv] are scratch. eval_dynamics.c */
jn_status eval_motion(const evaluation *e, int order, double *force, double *loss, double *v_out, double *tau_out,
                      double *lambda);
/* Of the closed system: tau [(order+1) x nv] of the actuated joints, lambda (may be NULL). The others have no force of
 * their own, but losses, which act as if they had: passive [(order+1) x nv]. `loss` [2 nv] is scratch. eval_dynamics.c
 */
jn_status eval_closed_inverse(const evaluation *e, int order, double *passive, double *loss, double *tau,
                              double *lambda);

/* ---- Of the closed system: eval_closed.c. `room` has eval_closed_room() numbers. ---- */

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
 * OPTION_GO_ON, or an exit code after a message. eval_loops.c */
int eval_close_states(evaluation *e, eval_states *list, bool close, bool check);
/* What to do about a status of closed loops, into text [size]; unchanged when there is nothing to say. eval_loops.c */
void eval_loops_advice(const evaluation *e, const char *want, jn_status status, char *text, size_t size);

/* eval_dynamics.c */
want_function want_tau, want_ddq, want_hybrid, want_mass_matrix, want_mass_matrix_inverse, want_coriolis_matrix,
    want_coriolis_christoffel, want_mass_matrix_rate, want_gravity, want_bias, want_energy, want_joint_wrenches,
    want_tau_jets, want_ddq_jets, want_hybrid_jets;
/* eval_jets.c */
want_function want_mass_matrix_jets, want_coriolis_matrix_jets, want_gravity_jets, want_twist_jets, want_jacobian_jets,
    want_rate_matrices, want_joint_wrenches_jets, want_momentum_jets, want_com_jets, want_energy_jets;
/* eval_derivatives.c */
want_function want_dtau_dq, want_dtau_dv, want_dtau_da, want_dtau_dwrench, want_da_dq, want_da_dv, want_da_dtau,
    want_da_dwrench, want_hybrid_derivatives, want_gravity_dq, want_mass_matrix_dq, want_mass_matrix_inverse_dq,
    want_coriolis_matrix_dq, want_coriolis_matrix_dv, want_mass_matrix_rate_dq, want_mass_matrix_rate_dv,
    want_second_tau, want_second_a, want_dtau_jets;
/* eval_loops.c */
want_function want_lambda, want_lambda_jets, want_loop_wrenches, want_constraint, want_constraint_matrix, want_mobility;
/* eval_closed.c */
want_function want_lambda_derivatives;
/* eval_regressor.c */
want_function want_parameters, want_regressor, want_slotine_li_regressor, want_gravity_regressor, want_energy_regressor,
    want_momentum_regressor, want_regressor_jets, want_gravity_dpi, want_mass_matrix_dpi, want_coriolis_matrix_dpi,
    want_da_dpi;
/* eval_kinematics.c */
want_function want_momentum, want_momentum_matrix, want_momentum_matrix_rate, want_com, want_com_jacobian, want_pose,
    want_twist, want_acceleration, want_jacobian, want_jacobian_rate, want_space_jacobian, want_space_jacobian_rate;

#endif
