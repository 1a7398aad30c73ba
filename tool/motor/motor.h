/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce motor: the motors of elastic joints along a motion. The motion and its torques are those of jounce torque. */
#ifndef JN_TOOL_MOTOR_H
#define JN_TOOL_MOTOR_H

#include <jounce/elastic.h>

#include "../motion/samples.h"

enum { DRIVE_ORDER = 2 }; /* of motor torques: the slopes of their rates say what is between two looks */

/* The motors at the time of the last drive_at(). All arrays are jets by rows of nv. */
typedef struct drive {
  motion *m;
  jn_elastic *elastic;
  int nv;
  bool damped;
  double last;                      /* time of the last drive_at(); NaN: none */
  int order;                        /* of the motor torques: DRIVE_ORDER */
  double *deflection, *theta;       /* [5 x nv] */
  double *motor;                    /* [3 x nv] */
  double *current, *power, *spring; /* [nv] */
  int *shown;                       /* [count] coordinates with a motor of their own */
  int count;
} drive;

void drive_init(drive *d, motion *m, jn_elastic *elastic);
void drive_free(drive *d);
jn_status drive_at(drive *d, double t);
/* Tell why drive_at() failed. */
void drive_tell(const drive *d, jn_status status);

/* What is written, printed and drawn of a motor. */
typedef enum motor_quantity {
  MOTOR_THETA,
  MOTOR_SPEED,
  MOTOR_ACCELERATION,
  MOTOR_SPRING,
  MOTOR_TORQUE,
  MOTOR_RATE,
  MOTOR_POWER,
  MOTOR_CURRENT,
  MOTOR_DEFLECTION,
  MOTOR_QUANTITIES
} motor_quantity;

double motor_value(const drive *d, int v, motor_quantity which);
void motor_unit(const drive *d, int v, motor_quantity which, char text[UNIT_TEXT]);

/* ---- report.c: tables, files, pictures, limits ---- */

typedef struct motor_report motor_report;
/* out, plot: paths or NULL. NULL after reporting why the file cannot be written. */
motor_report *motor_report_create(const drive *d, const char *out, const char *plot, const unsigned char *chosen,
                                  int samples);
void motor_report_sample(motor_report *r, const drive *d);
/* The times that are looked at for limits; hidden: motion_hides(). */
void motor_report_begin(motor_report *r, drive *d, double start, double end, double hidden);
/* Follow the drive to a time, and look at all of it. Moves the drive. */
jn_status motor_report_until(motor_report *r, double t);
/* The file takes its place if all was good. EXIT_FINE or EXIT_BAD. */
int motor_report_write(motor_report *r, bool good);
/* The largest share of a limit of the motors that is used; 0 without limits. */
double motor_report_use(const motor_report *r);
/* Tables on stdout, and whether the motors' limits hold: EXIT_FINE, EXIT_BAD or EXIT_UNSURE. */
int motor_report_print(const motor_report *r, const drive *d);
/* OPTION_GO_ON, or an exit code. */
int motor_report_draw(motor_report *r, const char *path, const char *size, int *files);
void motor_report_free(motor_report *r);

/* ---- check.c ---- */

/* The elastic robot forward in time under the computed torques; a table on stdout; OPTION_GO_ON, or an exit code. */
int motor_check(drive *d, double start, double end);
/* Frequencies and shapes of the modes, at the start and along the motion. */
int motor_modes(drive *d, double start, double end);

#endif
