/* SPDX-License-Identifier: BSD-2-Clause */
/* What each kind of loop asks, as data: used by this folder and by src/generate, which writes the conditions as C. */
#ifndef JN_LOOPS_CONDITIONS_H
#define JN_LOOPS_CONDITIONS_H

#include "jounce/model.h"

/* Conditions are made of the relative pose (R, p) of the closing frames, b in a:
 *   TERM_POINT      factor alpha . p
 *   TERM_DIRECTION  factor alpha . R beta
 *   TERM_DISTANCE   (p . p - d^2) / (2 d), d = factor */
typedef enum term_kind { TERM_POINT, TERM_DIRECTION, TERM_DISTANCE } term_kind;

typedef struct loop_term {
  term_kind kind;
  double factor, alpha[3], beta[3];
} loop_term;

/* What a row asks on the group. Sines vanish half a turn away too, so a row that is made of them is not closed wherever
 * its value is zero:
 *   CLOSE_VALUE  its value
 *   CLOSE_TURN   the component along `about` of the rotation vector log R
 *   CLOSE_ALIGN  that R beta is beta: the first of two rows, along two directions across beta */
typedef enum row_closure { CLOSE_VALUE, CLOSE_TURN, CLOSE_ALIGN, CLOSE_ALIGN_SECOND } row_closure;

typedef struct loop_row {
  int terms;
  loop_term term[2];
  row_closure closure;
  double about[3];
} loop_row;

/* conditions.c. The rows of a loop into rows [6]; returns their number. */
int jn__loop_rows(const jn_loop *loop, loop_row *rows);

#endif
