/* SPDX-License-Identifier: BSD-2-Clause */
/* Closed loops, on the public functions of the tree. Where to look:
 *   create.c               memory, options; rows of each loop
 *   structure.c            what does not change: which screws and coordinates move which condition
 *   state.c                screws, poses and relative poses along a motion
 *   conditions.c           what each kind of loop asks; conditions_screws.c: values, A and derivatives at one state;
 *                          conditions_jets.c: the same as polynomials of time; conditions_user.c: couplings and the
 *                          user's conditions; closure.c: how far loops are from closed
 *   factors.c, solve.c     M and A factorised, systems solved; with src/dense
 *   equations.c            forward and hybrid dynamics; equations_inverse.c: inverse dynamics
 *   derivatives.c          of these; derivatives_inverse.c
 *   assembly.c, wrenches_impact.c   configurations and rank; wrenches and impact
 *   inside.c                        configurations inside position limits
 *   constraints.h, constraints.c    what other folders use; they see nothing else of this one
 * A function takes the parts of a jn_loops that it needs: const is what it reads. conditions_screws.c and solve.c are
 * compiled twice (wide.h). */
#ifndef JN_LOOPS_LOOPS_H
#define JN_LOOPS_LOOPS_H

#include "../dense/dense.h"
#include "conditions.h"
#include "constraints.h"

/* A coupling: sum factor q = offset. */
typedef struct loop_coupling {
  int row, count;
  int q[JN_COUPLING_TERMS], v[JN_COUPLING_TERMS]; /* places of the coordinates */
  double factor[JN_COUPLING_TERMS], offset;
} loop_coupling;

/* Screws that move one end of a pair and not the other, and whose coordinates follow each other. */
typedef struct loop_arm {
  int screw; /* the first, among those used */
  int coordinate, count;
  double sign; /* 1: they move b, -1: a */
} loop_arm;

/* How a screw among those used follows others, as places in state->behind. */
typedef struct loop_link {
  int last;   /* the screw before it */
  int before; /* the same, or what is before its joint if that is a group */
  int after;  /* its joint */
  int group;
} loop_link;

typedef struct loop_run {
  int first, count;
} loop_run;

typedef struct loop_pair {
  int a, b;                /* links, -1: world */
  double T_a[16], T_b[16]; /* closing frames in them */
  int first, rows;
  loop_arm *run;
  int runs;
  int *shared, shared_count; /* screws that move both ends, among those used */
  int end_a, end_b;          /* places in state->behind of the motion of the links */
  int directions;            /* 1: some row has to do with directions */
} loop_pair;

/* Its closing frames in motion. */
typedef struct loop_ends {
  double P_a[16], P_b[16];   /* poses in the world */
  double *V_a, *V_b, *R, *p; /* of jets, Taylor coefficients [orders]: of the frames' own twists, of R and p */
} loop_ends;

/* A screw of a joint, in the link's frame. */
typedef struct loop_screw {
  int link, count; /* screws of this joint from this one on */
  int coordinate, q, constant;
  int group;   /* joints whose screws move as one: spherical, free */
  double X[6]; /* at q = 0 */
  double rate; /* |angular part of X| */
} loop_screw;

enum { MANY_COLUMNS = 32 }; /* solved at once (solve.c) */

/* Columns of da, dtau, dlambda [nv, nv, m x columns] (NULL: not wanted) with M da - A^T dlambda = -G, A da = -g. G
 * NULL: -1, for forces of coordinates; g NULL: zero. Rows of G and g may be read up to MANY_COLUMNS beyond their end.
 */
typedef struct loop_columns {
  int columns;
  const double *G, *g;
  double *da, *dtau, *dlambda;
} loop_columns;

typedef struct loop_structure loop_structure;
typedef struct loop_state loop_state;
typedef struct loop_factors loop_factors;
typedef struct loop_linearisation loop_linearisation;
typedef struct loop_scratch loop_scratch;

/* conditions_screws.c and solve.c for an instruction set. */
typedef struct loop_code {
  /* Chains, W, Y and rates of all pairs at a state, from state->poses; a NULL: zero. */
  void (*pairs_move)(const loop_structure *loops, loop_state *state, const double *q, const double *v, const double *a);
  /* The same at another acceleration, but for W, Y and rates. */
  void (*pairs_accelerate)(const loop_structure *loops, loop_state *state, const double *v, const double *a);
  /* Then: adds their rows to state->A, which is zero; sets those of linear->g_q and linear->g_v, and linear->G_q -= d
   * (A^T lambda)/dq beside what wrenches fixed in links do (lambda NULL: not). */
  void (*pairs_jacobian)(const loop_structure *loops, loop_state *state);
  void (*pairs_linearise)(const loop_structure *loops, loop_state *state, loop_linearisation *linear,
                          const double *lambda);
  /* L, D^-1, B and C from state->H and state->A, columns of prescribed coordinates (NULL: none) zero in that; S. 0 when
   * it cannot be: M is singular, conditions are weak. */
  int (*factor_inertia)(const loop_structure *loops, const loop_state *state, loop_factors *factors,
                        const unsigned char *prescribed);
  int (*factor_conditions)(const loop_structure *loops, loop_factors *factors);
  /* With these factors: f [nv] becomes x, mu [m] from g. */
  void (*solve_one)(const loop_structure *loops, const loop_factors *factors, double *f, double *mu);
  void (*solve_columns)(const loop_structure *loops, const loop_factors *factors, const double *M, const double *A,
                        const unsigned char *prescribed, int count, const loop_columns *blocks);
} loop_code;
extern const loop_code jn__loop_code_any, jn__loop_code_avx2;

/* What does not change after jn_loops_create(). */
struct loop_structure {
  const jn_model *model;
  jn_work *work; /* of order + 1, for the functions of the tree */
  const loop_code *code;
  jn_loops_options options;
  int count, m, nv, nq, nlink;
  int couplings, first_user, users; /* couplings; first row and rows of all of the user's conditions */
  loop_pair *pair;                  /* [count]; of couplings: without frames and terms */
  loop_row *row;                    /* [m] */
  loop_coupling *coupling;          /* [couplings] */
  jn_loops_user *user;              /* [options.user_count] */
  int generic;                      /* see jn_loops_health */
  double *scale;                    /* [m] what is large for a row of A (closure.c) */
  double *zeros;                    /* [(order + 4) x nv] */
  int *place;                       /* [nv] of each coordinate in q, -1: none (src/model/limits.h) */
  double *lower, *upper;            /* [nv] its position limits */
  loop_screw *screw;                /* of all joints, link by link */
  int *first_screw;                 /* [nlink + 1] */
  int *used, used_count;            /* screws that move the end of some pair, in order */
  loop_link *links;                 /* [used_count] */
  int chain_stride;                 /* at least used_count + 4, a multiple of 4 */
  int *up;                          /* [nlink] parents */
  loop_run *touch;                  /* [nv] rows of A that have a coordinate, or one that it carries */
  int *parent;                      /* [nv] the coordinate before on the way to the world, -1 */
  int *depth;                       /* [nv] how many are before it */
  int *first_before;                /* [nv + 1] places in `path` */
  int *path;                        /* of each coordinate, all on the way to it from the world: ..., its parent */
  int *under;                       /* [nv] coordinates from it to the last that it carries */
  int *row_at;                      /* [nv] where its row of L is: depth + 1 numbers, the last not used */
  int *column_at;                   /* [nv] where its column is in Lt: `under` numbers */
  int *first_moved;                 /* [m + 1] places in `moved_by` */
  int *moved_by;                    /* of each condition, the coordinates that touch it */
  int wide_m;                       /* at least m + 4, a multiple of 4 */
};

/* The conditions at a motion. jn__loops_motion() makes it, for one q and v_jet; functions that take it const read what
 * that found. A is there after jn__loops_jacobian(); H and tau after jn__loops_motion_and_forces(). */
struct loop_state {
  const double *q, *v_jet; /* the motion; the caller's arrays */
  int order;        /* that conditions are known to: 1 or higher: ends has R and p, else rates, W and Y are there */
  double *poses;    /* [nframe x 16] */
  double *twists;   /* [(order + 2) x nlink x 6] of jets */
  loop_ends *ends;  /* [count] closing frames of each pair */
  double *screws;   /* [screws x 6] in the links' frames */
  double *chain;    /* [24 x chain_stride] of conditions_screws.c, one column a screw used */
  double *behind;   /* [(used_count + 1) x 12] twist and acceleration behind each, after those of the world */
  double about[3];  /* the point about which they are */
  double *W, *Y;    /* [m x 6] of conditions_screws.c */
  double *rates;    /* [3 x m] phi, phi', phi'' */
  double *user_phi; /* [(order + 3) x users] derivatives of the user's conditions */
  double *user_A;   /* [(order + 1) x users x nv] */
  double *user_D;   /* [nv x nv + (3 order + 9) x users x nv] room for their functions */
  double *A;        /* [(order + 1) x m x nv] */
  double *J;        /* [(order + 1) x 6 x nv] room for the Jacobian of a link */
  double *H;        /* [nv x nv] M of the tree */
  double *tau;      /* [(order + 1) x nv] its forces */
};

/* What jn__loops_factor() makes of M and A at a state; solve.c. */
struct loop_factors {
  double *L, *Lt;             /* as sparse as the tree */
  double *diagonal, *inverse; /* [nv] D, D^-1 */
  double *seen, *solved;      /* [nv x wide_m] B, C */
  int by_products;            /* conditions are factorised in S, not in cod */
  double *S;                  /* [m x wide_m] */
  double *pivots;             /* [m] inverted ones of S */
  double *weight;             /* [m] what is large for columns of `seen` */
  jn_decomposition cod;       /* of conditions; assembly, rank and inverse dynamics use it too */
  jn_loops_health last;       /* of what was factorised last */
  double *one;                /* [wide_m] room for one right side */
  double *many;               /* [(nv + 2 m) x MANY_COLUMNS] and for many */
};

/* Derivatives of the equations at a state: jn__loops_linearise(). */
struct loop_linearisation {
  double *M, *G_q, *G_v;     /* [nv x nv] */
  double *g_q, *g_v;         /* [m x nv] */
  double *given_G, *given_g; /* [nv x nv], [m x nv] by what is given */
  double *wide;              /* [nv x 10 nlink] by wrenches, or by parameters */
  double *opposite;          /* [used_count x 6] room */
};

/* Vectors of the solutions; nothing in them outlives a call. */
struct loop_scratch {
  double *B;               /* [(nv + m) x (nv + m)] */
  double *v;               /* [(order + 4) x nv] */
  double *lambda;          /* [(order + 1) x m] */
  double *mu;              /* [(order + 1) x nv] */
  double *wrench;          /* [(order + 1) x nlink x 6] */
  double *x, *y, *z, *phi; /* [nv + m] each */
  double *moved, *start;   /* [nq] */
  double *keep;            /* [nv] */
  double *motion;          /* [2 x nv] */
  double *forces;          /* [(order + 1) x nv] */
  unsigned char *marks;    /* [nlink] */
  double *guess, *best;    /* [nq] of inside.c */
  unsigned char *pinned;   /* [nv] */
};

struct jn_loops {
  loop_structure structure;
  loop_state state;
  loop_factors factors;
  loop_linearisation linear;
  loop_scratch scratch;
  jn_allocator allocator;
  void *block;
};

/* create.c. The first row of a loop, or of a condition of the user's behind them, and its number of rows. */
int jn__loops_row(const loop_structure *loops, int loop, int *rows);

/* An angle from which on two directions count as opposite, so that all ways back are as long [rad]. */
#define JN_OPPOSITE 3.14
/* closure.c, all at the configuration of the last jn__loops_motion().
 * How far each row is from closed, error [m] in metres and radians; rows of state->W become those of its gradient. */
void jn__loops_closure(const loop_structure *loops, loop_state *state, double *error);
/* The largest of them of loop i, or of the user's condition i - loops->count. */
double jn__loops_gap(const loop_structure *loops, int i, const double *error);
/* loops->scale. */
void jn__loops_find_scales(loop_structure *loops, loop_state *state, loop_scratch *scratch);
/* Rows of X [m x n] over their scales. */
void jn__loops_scale_rows(const loop_structure *loops, int n, double *X);

/* conditions_user.c: couplings and the user's conditions, as parts of the functions of conditions_jets.c. */
jn_status jn__extra_motion(const loop_structure *loops, loop_state *state, int order, const double *q,
                           const double *v_jet);
void jn__extra_value(const loop_structure *loops, const loop_state *state, int k, double *phi);
void jn__extra_jacobian(const loop_structure *loops, loop_state *state, int order);
/* tau [nv] -= derivative k of A^T lambda, for Taylor coefficients lambda [(k + 1) x m]. */
void jn__extra_forces(const loop_structure *loops, const loop_state *state, int k, const double *lambda, double *tau);
/* Their rows of linear->g_q and linear->g_v; linear->G_q -= d (A^T lambda)/dq, unless lambda is NULL. */
jn_status jn__extra_linearise(const loop_structure *loops, const loop_state *state, loop_linearisation *linear,
                              const double *q, const double *v, const double *a, const double *lambda);

/* state.c. v_jet [(order + 3) x nv]. Order 0 and -1: pairs_move(); else sets R, p of all pairs to order + 2. */
jn_status jn__loops_motion(const loop_structure *loops, loop_state *state, int order, const double *q,
                           const double *v_jet);
/* conditions_jets.c. d^k phi / dt^k, [m]; needs jn__loops_motion() of order k - 2 at least. */
void jn__loops_value(const loop_structure *loops, const loop_state *state, int k, double *phi);
/* A and its derivatives to `order`, into state->A; the state must have that order. */
jn_status jn__loops_jacobian(const loop_structure *loops, loop_state *state, int order);
/* Wrenches on the links of multipliers with Taylor coefficients lambda [(order + 1) x m], and given ones (NULL: none),
 * as jets [(order + 1) x nlink x 6]. */
void jn__loops_wrenches(const loop_structure *loops, const loop_state *state, int order, const double *lambda,
                        const double *given, double *out);

/* state.c. The motion of order 0, with M in state->H and the forces of the tree under these wrenches in state->tau. */
jn_status jn__loops_motion_and_forces(const loop_structure *loops, loop_state *state, const double *q,
                                      const double *v_jet, const double *wrench);

/* structure.c. Number of all screws; the structure, once. state.c: S of a joint that is not constant, whose screws
 * begin at s. */
int jn__loops_screws(const jn_model *m);
jn_status jn__loops_prepare(jn_loops *l);
void jn__loops_joint_screws(const loop_screw *s, const double *q, double *S);

/* factors.c. Factors of the inertia that state->H has (rows of prescribed coordinates those of the identity, NULL:
 * none) and of the conditions seen through it; needs jn__loops_motion(). */
jn_status jn__loops_factor(const loop_structure *loops, loop_state *state, loop_factors *factors,
                           const unsigned char *prescribed);
/* Of a decomposition of conditions, of all coordinates or of some. */
jn_loops_health jn__loops_health(const loop_structure *loops, const jn_decomposition *d, int all);
/* assembly.c. The largest gap at q; then the system of a step that closes the loops, A dq = -phi of errors on the
 * group, over the scales of its rows: A in state->A, right side in scratch->x. Columns of held coordinates (NULL: none)
 * are zero. */
jn_status jn__loops_find_gap(jn_loops *l, const double *q, double *gap);
jn_status jn__loops_closing_rows(jn_loops *l, const unsigned char *held);
/* error [m] = -closure over the scale of its row, from what jn__loops_closure() finds. */
void jn__loops_row_errors(const loop_structure *loops, const double *closure, double *error);
/* loops->generic. */
void jn__loops_find_generic(jn_loops *l);

/* derivatives.c. At the motion v, a with multipliers lambda: linear->M, linear->G_q, linear->G_v, linear->g_q,
 * linear->g_v; dwrench [nv x nlink x 6] (NULL: not wanted) = -J^T. */
jn_status jn__loops_linearise(jn_loops *l, const double *q, const double *v, const double *a, const double *lambda,
                              const double *wrench, jn_representation hold, double *dwrench);
/* linear->g_q = d (A y)/dq for constant y [nv]. */
jn_status jn__loops_linearise_A(jn_loops *l, const double *q, const double *y);

/* equations_inverse.c. Which torques; see there. */
typedef struct loop_inverse {
  jn_loops *l;
  const unsigned char *actuated;
  const double *weight; /* NULL: ones */
  jn_loops_choice choice;
  int unique, passive; /* of jn__inverse_factor() */
} loop_inverse;

double jn__inverse_weight(const loop_inverse *s, int i);
/* Decomposes A_p^T of state->A; s->passive: its rows. s->unique: it has the rank of A, so that it tells lambda alone.
 */
void jn__inverse_factor(loop_inverse *s);
/* Decomposes the leading matrix over (lambda, mu) of state->A, which is needed when it does not. */
void jn__inverse_leading(const loop_inverse *s);
/* y [m + n] = (lambda, mu) from the right side x [m + n], with what was decomposed last. */
void jn__inverse_solve(const loop_inverse *s, const double *x, double *y);

/* Of one pair: Taylor coefficient k of the wrenches on the closing frames a and b, in these. */
void jn__loops_pair_wrench(const loop_structure *loops, const loop_state *state, int i, int k, const double *lambda,
                           double W[2][6]);
/* A closing frame T of a link in the world, from state->poses; R, p of all pairs, which jn__loops_motion() of order 0
 * leaves out. */
void jn__closing_pose(const loop_state *state, int link, const double *T, double *out);
void jn__loops_relative_poses(const loop_structure *loops, loop_state *state);

#endif
