/* SPDX-License-Identifier: BSD-2-Clause */
/* The robot over expressions: joints, inertial parameters and gravity as nodes of a graph, and the algebra of vectors,
 * rotations and moments that the recursions need. Everything is in the frames of the parts (mechanism.h). */
#ifndef JN_GENERATE_SYMBOLS_H
#define JN_GENERATE_SYMBOLS_H

#include "graph.h"
#include "mechanism.h"

/* Input arrays of generated functions. */
typedef enum jn_input_array {
  JN_ARRAY_Q,
  JN_ARRAY_V, /* also the velocity jet: row k at k * nv */
  JN_ARRAY_A,
  JN_ARRAY_TAU, /* also the jet of forces */
  JN_ARRAY_SINE,
  JN_ARRAY_COSINE,
  JN_ARRAY_GRAVITY,
  JN_ARRAY_PAYLOAD,
  JN_ARRAY_PARAMETERS,
  JN_ARRAY_EXTRA, /* what single functions need: the state of an observer */
  JN_ARRAY_MORE,  /* positive: gains */
  JN_ARRAY_STEP,  /* positive: a time step */
  JN_ARRAYS
} jn_input_array;

typedef struct jn_expr3 {
  jn_expr x, y, z;
} jn_expr3;

typedef struct jn_expr9 {
  jn_expr3 x, y, z; /* rows */
} jn_expr9;

/* Moments of mass over expressions: see jn_moments. */
typedef struct jn_expr_moments {
  jn_expr mass;
  jn_expr3 first;
  jn_expr xx, yy, zz, xy, xz, yz;
} jn_expr_moments;

/* What the position of a joint decides. */
typedef struct jn_joint_symbols {
  jn_expr cosine, sine; /* of the angle about z */
  jn_expr advance;      /* along z */
  jn_expr9 rotation;    /* ball and free joints */
  jn_expr3 position;    /* free joints */
  jn_expr3 origin;      /* of the part, in its parent */
} jn_joint_symbols;

typedef struct jn_symbols {
  jn_graph *g;
  const jn_mechanism *m;
  jn_joint_symbols *joint;  /* [parts] */
  jn_expr_moments *moments; /* [parts] regrouped, if wanted: for forces and M */
  jn_expr_moments *own;     /* [parts] as the file has them: for energies, centre of mass, momentum */
  jn_expr gravity[3];
  int given_sines; /* sines and cosines of the coordinates are inputs */
} jn_symbols;

/* Which inputs are arguments instead of constants. */
enum { JN_RUNTIME_GRAVITY = 1, JN_RUNTIME_PAYLOAD = 2, JN_RUNTIME_PARAMETERS = 4 };

int jn__symbols_create(jn_symbols *s, jn_graph *g, const jn_mechanism *m, unsigned runtime, int payload_frame,
                       int given_sines); /* 0: out of memory */
void jn__symbols_free(jn_symbols *s);

/* Vectors between the axes of a part and of its parent, without the shift of the origin. */
jn_expr3 jn__to_parent(const jn_symbols *s, int part, jn_expr3 x);
jn_expr3 jn__to_child(const jn_symbols *s, int part, jn_expr3 x);
/* Moments of a part in the frame of its parent. */
jn_expr_moments jn__moments_to_parent(const jn_symbols *s, int part, const jn_expr_moments *m);

static inline jn_expr3 jn__zero3(void) { return (jn_expr3){JN_ZERO, JN_ZERO, JN_ZERO}; }
jn_expr3 jn__add3(jn_graph *g, jn_expr3 a, jn_expr3 b);
jn_expr3 jn__subtract3(jn_graph *g, jn_expr3 a, jn_expr3 b);
jn_expr3 jn__scale3(jn_graph *g, jn_expr c, jn_expr3 a);
jn_expr3 jn__cross(jn_graph *g, jn_expr3 a, jn_expr3 b);
jn_expr jn__dot3(jn_graph *g, jn_expr3 a, jn_expr3 b);
jn_expr3 jn__constant3(jn_graph *g, const double x[3]);
/* M x and M^T x. */
jn_expr3 jn__rotate(jn_graph *g, jn_expr9 M, jn_expr3 x);
jn_expr3 jn__rotate_back(jn_graph *g, jn_expr9 M, jn_expr3 x);
void jn__add_moments(jn_graph *g, jn_expr_moments *to, const jn_expr_moments *m);

#endif
