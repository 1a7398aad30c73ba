/* SPDX-License-Identifier: BSD-2-Clause */
/* States of a robot from a file: JSON (source.c finds each, read.c checks it) or NumPy arrays (arrays.c). Used by eval,
 * and by simulate, reach and torque for the state at the start. */
#ifndef JN_TOOL_STATES_H
#define JN_TOOL_STATES_H

#include <jounce/model.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct model_arg;
struct shard;

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

#endif
