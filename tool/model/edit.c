/* SPDX-License-Identifier: BSD-2-Clause */
#include "edit.h"

#include <jounce/configuration.h>
#include <jounce/io.h>
#include <jounce/lie.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../files/output.h"
#include "../text/print.h"
#include "names.h"

#define ATTACH_VALUE "FILE,frame=NAME[,prefix=TEXT][,xyz=X:Y:Z][,rpy=R:P:Y]"

const option model_edit_options[] = {
    TEXTS_OPTION(
        model_edits, attach, "attach", ATTACH_VALUE,
        "attach the robot of another file to a link or frame, moved by xyz [m] and rpy [rad]; its names get the "
        "prefix; may be repeated"),
    TEXTS_OPTION(
        model_edits, lock, "lock", "NAME[=VALUE],...",
        "make joints fixed at these values [rad, m], 0 if none is given; VALUE:VALUE:... for joints with several; "
        "NAME may be a pattern"),
    NAMES_OPTION(model_edits, lock_others, "lock-all-but", "A,B,C",
                 "lock all other moving joints, too: at their value in --lock, or at 0"),
    TEXT_OPTION(model_edits, root, "root", "LINK",
                "take another link as the base; the joints on the way to it are reversed", .once = true),
    TEXT_OPTION(model_edits, subtree, "keep-subtree", "LINK",
                "keep only this link, the joint that carries it, and all that it carries, where they are at 0",
                .once = true),
    FLAG_OPTION(model_edits, lump, "lump", "merge links that are fixed to others into them; their names become frames"),
    FLAG_OPTION(model_edits, split, "split",
                "add a link without inertia at every joint whose axis does not pass through the origin of its link, as "
                "URDF needs"),
    {0}};

void model_edits_free(model_edits *edits) {
  name_list_free(&edits->attach);
  name_list_free(&edits->lock);
  name_list_free(&edits->lock_others);
}

static bool locks(const model_edits *edits) { return edits->lock.count > 0 || edits->lock_others.count > 0; }

int model_edit_count(const model_edits *edits) {
  return edits->attach.count + locks(edits) + (edits->root != NULL) + (edits->subtree != NULL) + (edits->lump != 0) +
         (edits->split != 0);
}

/* ---- Numbers ---- */

/* Numbers split by ':' in text[length]; how many there are, or -1 when one is not a number or there are too many. */
static int read_values(const char *text, size_t length, double *values, int most) {
  int count = 0;
  for (const char *end = text + length;; text++) {
    size_t piece = strcspn(text, ":,");
    char *stop;
    if (text + piece > end) piece = (size_t)(end - text);
    if (count == most || piece == 0 || memchr(text, 'x', piece) || memchr(text, 'X', piece)) return -1;
    values[count] = strtod(text, &stop);
    if (stop != text + piece || !isfinite(values[count++])) return -1;
    text = stop;
    if (text == end) return count;
  }
}

/* ---- Attaching ---- */

typedef struct attachment {
  char *file, *frame, *prefix;
  double xyz[3], rpy[3];
  bool given[4]; /* frame, prefix, xyz, rpy */
} attachment;

static void attachment_free(attachment *a) {
  free(a->file);
  free(a->frame);
  free(a->prefix);
}

static size_t file_length(const char *text) {
  const char *frame = strstr(text, ",frame=");
  return frame ? (size_t)(frame - text) : strcspn(text, ",");
}

char *model_edit_file(const model_edits *edits, int i) {
  return copy_text(edits->attach.names[i], file_length(edits->attach.names[i]));
}

bool model_edit_reads(const model_edits *edits, const char *path) {
  bool found = false;
  for (int i = 0; i < edits->attach.count && !found; i++) {
    char *file = model_edit_file(edits, i);
    found = is_same_file(path, file);
    free(file);
  }
  return found;
}

/* One "key=value" of --attach. */
static int read_key(const char *command, const char *text, size_t length, attachment *a) {
  const char *value = memchr(text, '=', length);
  size_t key = value ? (size_t)(value - text) : length, size = value ? length - key - 1 : 0;
  value += value != NULL;
  char **words[] = {&a->frame, &a->prefix};
  double *numbers[] = {a->xyz, a->rpy};
  static const char *const names[] = {"frame", "prefix", "xyz", "rpy"};
  for (int k = 0; k < 4 && value; k++) {
    if (strlen(names[k]) != key || strncmp(text, names[k], key) != 0) continue;
    if (a->given[k]) return usage_error(command, "--attach %s: %s= is given twice", a->file, names[k]);
    a->given[k] = true;
    if (k < 2) {
      *words[k] = copy_text(value, size);
      return OPTION_GO_ON;
    }
    if (read_values(value, size, numbers[k - 2], 3) == 3) return OPTION_GO_ON;
    return usage_error(command, "--attach: %s takes three numbers split by ':', not '%.*s'", names[k], (int)size,
                       value);
  }
  return usage_error(command, "--attach: '%.*s' is none of frame=, prefix=, xyz=, rpy=", (int)length, text);
}

static int read_attachment(const char *command, const char *text, attachment *a) {
  size_t length = file_length(text);
  int status = OPTION_GO_ON;
  *a = (attachment){.file = copy_text(text, length)};
  for (text += length; *text == ',' && status == OPTION_GO_ON; text += length) {
    length = strcspn(++text, ",");
    status = read_key(command, text, length, a);
  }
  if (status == OPTION_GO_ON && (!a->frame || !*a->frame))
    status =
        usage_error(command, "--attach %s: the frame is missing; the option is --attach %s", a->file, ATTACH_VALUE);
  return status;
}

static int attach(const char *command, const char *text, const jn_options *options, const jn_model *model,
                  jn_model **edited, jn_error *error) {
  attachment a;
  jn_model *other = NULL;
  int status = read_attachment(command, text, &a), frame;
  if (status == OPTION_GO_ON && jn_frame_index(model, a.frame) == JN_NONE)
    status = find_frame(command, "attach", model, a.frame, &frame);
  if (status == OPTION_GO_ON) {
    double R[9], T[16] = {0};
    jn_options reading = *options;
    reading.floating = 0;
    reading.joint_order_count = 0;
    reading.loops = NULL;
    jn_rpy_to_rotation(a.rpy, R);
    for (int i = 0; i < 3; i++) {
      memcpy(T + 4 * i, R + 3 * i, 3 * sizeof *R);
      T[4 * i + 3] = a.xyz[i];
    }
    T[15] = 1;
    jn_status result = jn_load(a.file, &reading, &other, error);
    if (result == JN_OK) result = jn_model_attach(model, a.frame, other, a.prefix, T, options, edited, error);
    status = result == JN_OK ? OPTION_GO_ON : EXIT_BAD;
  }
  jn_model_destroy(other);
  attachment_free(&a);
  return status;
}

/* ---- Locking ---- */

typedef struct locking {
  const char *command;
  const jn_model *model;
  int floating;       /* --floating is given, and not yet applied */
  const char **names; /* of joints to lock, room for all and those that do not exist */
  int count;
  double *q;
  unsigned char *locked; /* [links] */
  unsigned char *given;  /* [links] with a value */
} locking;

/* A joint and its values; of one that follows another, what that must have. */
static int lock_joint(locking *l, int joint, const double *values, int count) {
  const char *name = jn_joint_name(l->model, joint);
  int leader = joint, nq = jn_joint_nq(l->model, joint);
  double ratio = 1, offset = 0, own[7] = {0};
  if (jn_joint_mimic(l->model, joint, &leader, &ratio, &offset)) nq = 1;
  if (!l->locked[joint]) l->names[l->count++] = name;
  l->locked[joint] = l->locked[leader] = 1;
  if (count == 0) return OPTION_GO_ON;
  if (nq == 0) return usage_error(l->command, "--lock: joint '%s' is fixed already and takes no value", name);
  if (count != nq)
    return usage_error(l->command, "--lock: joint '%s' is %s and takes %d number%s, not %d", name,
                       jn_joint_type_name(jn_joint_type_of(l->model, joint)), nq, nq == 1 ? "" : "s split by ':'",
                       count);
  if (ratio == 0)
    return usage_error(l->command, "--lock: joint '%s' follows another with the ratio 0: give no value", name);
  for (int k = 0; k < count; k++) own[k] = (values[k] - offset) / ratio;
  double *q = l->q + jn_joint_q(l->model, joint);
  for (int k = 0; k < count && l->given[leader]; k++)
    if (fabs(own[k] - q[k]) > 1e-9 * (1 + fabs(q[k])))
      return usage_error(l->command, "--lock: joint '%s' at %.9g contradicts joint '%s' at %.9g", name, values[k],
                         jn_joint_name(l->model, leader), q[k]);
  memcpy(q, own, (size_t)count * sizeof *q);
  l->given[leader] = 1;
  return OPTION_GO_ON;
}

static bool moves(const jn_model *model, int joint) {
  return jn_joint_nv(model, joint) > 0 || jn_joint_mimic(model, joint, NULL, NULL, NULL);
}

static int unknown_joint(const locking *l, const char *name) {
  int joint;
  if (l->floating && strcmp(name, "base") == 0)
    return usage_error(l->command,
                       "--lock: --floating adds the joint 'base' after all edits, so it cannot be locked; to fix the "
                       "base, do not give --floating");
  return find_joint(l->command, "lock", l->model, name, &joint);
}

/* "NAME" or "NAME=VALUE:..." */
static int lock_item(locking *l, const char *text, size_t length) {
  double values[7];
  int count = 0, status = OPTION_GO_ON, matches = 0;
  size_t equals = length;
  for (size_t i = 0; i < length; i++)
    if (text[i] == '=') equals = i;
  char *name = copy_text(text, equals);
  if (equals < length && (count = read_values(text + equals + 1, length - equals - 1, values, 7)) < 0)
    status = usage_error(l->command, "--lock %.*s: what follows the last '=' is not a number", (int)length, text);
  if (status == OPTION_GO_ON && !*name) status = usage_error(l->command, "--lock: a name is empty");
  bool pattern = strpbrk(name, "*?[") != NULL;
  for (int i = 0; i < jn_link_count(l->model) && status == OPTION_GO_ON && pattern; i++) {
    if (!moves(l->model, i) || !name_matches(name, jn_joint_name(l->model, i))) continue;
    matches++;
    status = lock_joint(l, i, values, count);
  }
  if (status == OPTION_GO_ON && pattern && matches == 0)
    status = usage_error(l->command, "--lock: no moving joint matches '%s'", name);
  if (status == OPTION_GO_ON && !pattern) {
    int joint = jn_joint_index(l->model, name);
    status = joint >= 0 ? lock_joint(l, joint, values, count) : unknown_joint(l, name);
  }
  free(name);
  return status;
}

static int lock_items(locking *l, const char *text) {
  int status = OPTION_GO_ON;
  for (;; text++) {
    size_t length = strcspn(text, ",");
    status = lock_item(l, text, length);
    text += length;
    if (status != OPTION_GO_ON || *text == 0) return status;
  }
}

/* All moving joints but those named, and what these follow. */
static int lock_others(locking *l, const name_list *keep) {
  int links = jn_link_count(l->model), status = OPTION_GO_ON;
  unsigned char *kept = allocate((size_t)links + 1);
  memset(kept, 0, (size_t)links + 1);
  for (int k = 0; k < keep->count && status == OPTION_GO_ON; k++) {
    int matches = 0, joint;
    for (int i = 0; i < links; i++) {
      int leader = i;
      if (!moves(l->model, i) || !name_matches(keep->names[k], jn_joint_name(l->model, i))) continue;
      jn_joint_mimic(l->model, i, &leader, NULL, NULL);
      kept[leader] = 1;
      matches++;
    }
    if (matches == 0) status = find_joint(l->command, "lock-all-but", l->model, keep->names[k], &joint);
  }
  for (int i = 0; i < links && status == OPTION_GO_ON; i++) {
    if (kept[i] && l->locked[i])
      status = usage_error(l->command, "--lock and --lock-all-but both name joint '%s'", jn_joint_name(l->model, i));
    else if (jn_joint_nv(l->model, i) > 0 && !kept[i] && !l->locked[i])
      l->names[l->count++] = jn_joint_name(l->model, i);
  }
  free(kept);
  return status;
}

static int lock(const char *command, const model_edits *edits, const jn_options *options, const jn_model *model,
                jn_model **edited, jn_error *error) {
  size_t links = (size_t)jn_link_count(model) + 1;
  locking l = {command,
               model,
               edits->floating,
               allocate(2 * links * sizeof *l.names),
               0,
               allocate(((size_t)jn_model_nq(model) + 1) * sizeof *l.q),
               allocate(links),
               allocate(links)};
  memset(l.locked, 0, links);
  memset(l.given, 0, links);
  jn_neutral(model, l.q);
  int status = OPTION_GO_ON;
  for (int i = 0; i < edits->lock.count && status == OPTION_GO_ON; i++) status = lock_items(&l, edits->lock.names[i]);
  if (status == OPTION_GO_ON && edits->lock_others.count > 0) status = lock_others(&l, &edits->lock_others);
  if (status == OPTION_GO_ON && jn_model_lock(model, l.names, l.count, l.q, options, edited, error) != JN_OK)
    status = EXIT_BAD;
  free(l.names);
  free(l.q);
  free(l.locked);
  free(l.given);
  return status;
}

/* ---- All ---- */

/* Edit number `step`, counted as model_edit_count() does. */
static int apply(const char *command, const model_edits *edits, int step, const jn_options *options,
                 const jn_model *model, jn_model **edited, jn_error *error) {
  if (step < edits->attach.count) return attach(command, edits->attach.names[step], options, model, edited, error);
  step -= edits->attach.count;
  if (locks(edits) && step-- == 0) return lock(command, edits, options, model, edited, error);
  jn_status status = JN_OK;
  int found = edits->root && step == 0 ? check_link(command, "root", model, edits->root) : OPTION_GO_ON;
  if (edits->subtree && step == (edits->root != NULL))
    found = check_link(command, "keep-subtree", model, edits->subtree);
  if (found != OPTION_GO_ON) return found;
  if (edits->root && step-- == 0)
    status = jn_model_reroot(model, edits->root, NULL, options, edited, error);
  else if (edits->subtree && step-- == 0)
    status = jn_model_subtree(model, edits->subtree, NULL, options, edited, error);
  else if (edits->lump && step-- == 0)
    status = jn_model_lump(model, options, edited, error);
  else
    status = jn_model_split(model, options, edited, error);
  return status == JN_OK ? OPTION_GO_ON : EXIT_BAD;
}

int model_edit_apply(const char *command, const model_edits *edits, const jn_options *options, jn_model **model,
                     jn_error *error) {
  int count = model_edit_count(edits), status = OPTION_GO_ON;
  for (int step = 0; step < count && status == OPTION_GO_ON; step++) {
    jn_options now = *options;
    if (step < count - 1) now.floating = now.joint_order_count = 0;
    jn_model *edited = NULL;
    status = apply(command, edits, step, &now, *model, &edited, error);
    jn_model_destroy(*model);
    *model = edited;
  }
  return status;
}
