/* SPDX-License-Identifier: BSD-2-Clause */
#include "repair.h"

#include <jounce/edit.h>
#include <math.h>
#include <string.h>

#include "../command.h"
#include "../files/output.h"
#include "../text/print.h"

int repair_allowed(const model_arg *arg, const char *out) {
  if (!ends_with(out, ".urdf") && !ends_with(out, ".xml") && !ends_with(out, ".json"))
    return usage_error(arg->command, "--repair %s: the name must end in .urdf, .xml or .json, which tells the format",
                       out);
  return OPTION_GO_ON;
}

void repair_begin(repair *r, const model_arg *arg) {
  *r = (repair){.arg = arg};
  if (!arg->model) return;
  jn_options options;
  jn_options_init(&options);
  options.report = r->report = jn_report_create(NULL);
  jn_model_repair(arg->model, JN_REPAIR_MARGIN, &options, &r->model, NULL);
}

void repair_end(repair *r) {
  jn_model_destroy(r->model);
  jn_report_destroy(r->report);
}

/* A link that was changed. */
typedef struct change {
  double before[3], after[3]; /* principal moments */
  double relative;            /* of the second moments, see jn_inertia_repair() */
  const char *law;
} change;

static bool find_change(const repair *r, int link, change *c) {
  double given[10], now[10];
  jn_link_inertia(r->arg->model, link, given);
  jn_link_inertia(r->model, link, now);
  if (memcmp(given, now, sizeof now) == 0) return false;
  jn_inertia_repair(given, JN_REPAIR_MARGIN, now, &c->relative);
  jn_inertia_principal(given, c->before, NULL);
  jn_inertia_principal(now, c->after, NULL);
  c->law = c->before[0] < -1e-9 * fabs(c->before[2]) ? "positive" : "triangle";
  return true;
}

static int count_changes(const repair *r) {
  change c;
  int count = 0;
  for (int i = 0; i < jn_link_count(r->model); i++) count += find_change(r, i, &c);
  return count;
}

/* Links that break a law and have no nearest body: in the report as warnings. */
static void print_hopeless(const repair *r) {
  for (int i = 0; i < jn_report_count(r->report); i++) {
    const jn_message *m = jn_report_message(r->report, i);
    if (strcmp(m->rule, "inertia-hopeless") == 0)
      say(stdout, "not repaired: %s: %s\n    %s\n", m->subject, m->text, m->remedy);
  }
}

void repair_text(const repair *r) {
  static const table_column columns[] = {{"link", ALIGN_LEFT}, {"law", ALIGN_LEFT}, {"I1 before", ALIGN_RIGHT},
                                         {"I2", ALIGN_RIGHT},  {"I3", ALIGN_RIGHT}, {"I1 after", ALIGN_RIGHT},
                                         {"I2", ALIGN_RIGHT},  {"I3", ALIGN_RIGHT}, {"change %", ALIGN_RIGHT}};
  if (!r->model) return;
  int links = jn_link_count(r->model), count = count_changes(r);
  print_hopeless(r);
  if (count == 0) {
    say(stdout, "no link was changed\n\n");
    return;
  }
  say(stdout, "%d of %d links repaired, mass and centre of mass kept (principal moments in kg m^2):\n\n", count, links);
  table t;
  table_init(&t, columns, 9);
  for (int i = 0; i < links; i++) {
    change c;
    if (!find_change(r, i, &c)) continue;
    table_cell(&t, jn_link_name(r->model, i));
    table_cell(&t, c.law);
    for (int k = 0; k < 3; k++) table_number(&t, c.before[k]);
    for (int k = 0; k < 3; k++) table_number(&t, c.after[k]);
    table_number(&t, 100 * c.relative);
  }
  table_print(&t, stdout);
  putchar('\n');
}

void repair_json(json_writer *j, const repair *r) {
  emit_open_array(j, "repaired");
  for (int i = 0; r->model && i < jn_link_count(r->model); i++) {
    change c;
    if (!find_change(r, i, &c)) continue;
    emit_open_object(j, NULL);
    emit_text(j, "link", jn_link_name(r->model, i));
    emit_text(j, "law", c.law);
    emit_numbers(j, "before", c.before, 3);
    emit_numbers(j, "after", c.after, 3);
    emit_number(j, "change", c.relative);
    emit_close_object(j);
  }
  emit_close_array(j);
}

bool repair_write(const repair *r, const char *out) {
  jn_error error = {0};
  jn_options options = r->arg->options;
  options.report = jn_report_create(NULL);
  model_arg_original(r->arg, &options); /* all else of a URDF file stays */
  model_arg_tell_attached(r->arg, out, ends_with(out, ".json"));
  jn_status status = r->model ? jn_save(r->model, out, JN_FORMAT_AUTO, &options, &error) : JN_ERR_MEMORY;
  print_notes(options.report, "", out);
  print_warnings(options.report, out);
  if (status != JN_OK) print_errors(options.report, &error, out);
  jn_report_destroy(options.report);
  return status == JN_OK;
}
