/* SPDX-License-Identifier: BSD-2-Clause */
/* What the writer of new URDF files (urdf_write.c) and the editor of existing ones (urdf_edit.c) share. */
#ifndef JN_IO_URDF_WRITE_H
#define JN_IO_URDF_WRITE_H

#include "common.h"
#include "io.h"

/* Stands for "no limit": URDF demands limits, and not every reader takes "inf". urdf_xml.c reads it as none. */
#define JN_URDF_NO_LIMIT "1e300"

typedef struct jn_urdf_writer {
  const jn_model *m;
  jn_text *out;
  jn_log *log;
  int faults;
  char world[JN_NAME_MAX + 1]; /* name of the link that stands for the world; empty when none is needed */
} jn_urdf_writer;

/* How a joint is said in URDF. */
typedef struct jn_urdf_form {
  const char *type;
  double axis[3];
  int coordinates;
} jn_urdf_form;

/* 0 when URDF cannot say the joint. */
int jn__urdf_form_of(const jn_joint *joint, jn_urdf_form *f);
/* Counts what URDF cannot say at all in w->faults, and reports it. */
void jn__urdf_check(jn_urdf_writer *w);
/* Reports what is lost, and that `named` frames become links. */
void jn__urdf_report_losses(const jn_urdf_writer *w, int named);
int jn__urdf_identity(const double T[16]);
/* 1 when link 0 can be a plain URDF root: fixed, or free as options.floating makes it. */
int jn__urdf_plain_root(jn_urdf_writer *w);

/* Whole elements on lines of their own. */
void jn__urdf_put_link(jn_urdf_writer *w, int link);
void jn__urdf_put_joint(jn_urdf_writer *w, int joint);
void jn__urdf_put_frame(jn_urdf_writer *w, int frame);
void jn__urdf_put_inertial(jn_urdf_writer *w, const double parameters[10]);
void jn__urdf_put_constraint(jn_urdf_writer *w, const jn_loop *loop);
/* A text as the value of an attribute: what XML or a terminal would act on becomes a reference. */
void jn__urdf_put_escaped(jn_urdf_writer *w, const char *s);

#endif
