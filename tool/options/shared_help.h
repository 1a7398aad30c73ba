/* SPDX-License-Identifier: BSD-2-Clause */
/* The help of options that several commands have: one name, one meaning, one text. */
#ifndef JN_TOOL_OPTIONS_SHARED_HELP_H
#define JN_TOOL_OPTIONS_SHARED_HELP_H

#define WRENCH_HELP "external wrenches over time: columns t, LINK_mx _my _mz _fx _fy _fz (--wrench-axes)"
#define WRENCH_AXES_HELP "axes of --wrench, about the link's origin: of the link (default), or of the world"
#define WRENCH_INTERPOLATION_HELP                                                                             \
  "interpolation between the rows of --wrench: hold the last row, linear, monotone cubics without overshoot " \
  "(default), "                                                                                               \
  "or smoothing splines"
#define LIMITS_FILE_HELP "a file of limits, JSON or CSV by joint names, or a built-in robot: builtin:panda"
#define ACTUATED_HELP "joints with a motor, for models with loops; default: "
#define PLOT_HELP "plot the result with gnuplot: FILE.svg, .png, .pdf, or - for text in the terminal"
#define JOINTS_HELP \
  "plot only these joints, by names or patterns: 'left_*,neck'; default: all, on as many pages as needed"

#endif
