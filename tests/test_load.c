/* SPDX-License-Identifier: BSD-2-Clause */
/* Where robots come from and go to: files, text in memory, built-in robots. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing.h"

#if JN_WITH_JSON && JN_WITH_URDF

static const char native[] = "{\"name\": \"n\", \"bodies\": [{\"name\": \"a\", \"inertia\": {\"mass\": 2}}]}\n";
static const char urdf[] = "<?xml version='1.0'?>\n<robot name='u'><link name='b'/></robot>\n";

/* ---- a directory for the files ---- */

static char directory[] = "/tmp/jounce_load_XXXXXX";

static int make_directory(void **state) {
  (void)state;
  return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state) {
  (void)state;
  return rmdir(directory); /* fails when a test left something behind */
}

static const char *path_of(const char *name) {
  static char path[2][sizeof directory + 64];
  static int turn;
  char *p = path[turn++ % 2];
  snprintf(p, sizeof path[0], "%s/%s", directory, name);
  return p;
}

static void put_file(const char *path, const char *text) {
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fputs(text, f) < 0, 0);
  assert_int_equal(fclose(f), 0);
}

static void load_fails(const char *source, const jn_options *options, jn_status status, const char *part) {
  jn_model *m;
  jn_error error;
  assert_int_equal(jn_load(source, options, &m, &error), status);
  assert_null(m);
  assert_int_equal(error.status, status);
  assert_string_equal(error.file, source);
  if (!strstr(error.text, part)) fail_msg("%s", error.text);
}

/* ---- reading ---- */

static void the_content_determines_the_format(void **state) {
  (void)state;
  static const struct {
    const char *text, *name;
  } files[] = {{native, "n"},
               {urdf, "u"},
               {"  \n\t<robot name='v'><link name='b'/></robot>", "v"},
               {"\r\n {\"name\": \"w\", \"bodies\": [{\"name\": \"a\"}]}", "w"},
               {"\xEF\xBB\xBF{\"name\": \"x\", \"bodies\": [{\"name\": \"a\"}]}", "x"},
               {"\xEF\xBB\xBF<robot name='y'><link name='b'/></robot>", "y"}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    jn_model *m;
    const char *path = path_of("robot.dat");
    put_file(path, files[i].text);
    assert_int_equal(jn_load(path, NULL, &m, NULL), JN_OK);
    assert_string_equal(jn_model_name(m), files[i].name);
    jn_model_destroy(m);
    remove(path);
  }
}

static void other_content_is_refused_with_what_was_found(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
    size_t length;
    int line;
  } files[] = {{"", "it is empty", 0, 1},
               {"\n\n  ", "it is empty", 4, 3},
               {"\nsolid part\n", "begins with 'solid part'", 12, 2},
               {"[1, 2]", "begins with '[1, 2]'", 6, 1},
               {"\x7f"
                "ELF",
                "begins with byte 0x7f", 4, 1},
               {"\0\0", "begins with byte 0x00", 2, 1}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    jn_model *m;
    jn_error error;
    assert_int_equal(jn_load_text(files[i].text, files[i].length, JN_FORMAT_AUTO, "f", NULL, &m, &error),
                     JN_ERR_SYNTAX);
    assert_null(m);
    assert_int_equal(error.line, files[i].line);
    if (!strstr(error.text, files[i].part)) fail_msg("%s", error.text);
  }
}

static void a_format_that_does_not_exist_is_refused(void **state) {
  (void)state;
  jn_model *m;
  char *text;
  assert_int_equal(jn_load_text(native, strlen(native), (jn_format)7, NULL, NULL, &m, NULL), JN_ERR_UNSUPPORTED);
  assert_int_equal(jn_load("builtin:planar_2r", NULL, &m, NULL), JN_OK);
  assert_int_equal(jn_save_text(m, (jn_format)7, NULL, &text, NULL, NULL), JN_ERR_UNSUPPORTED);
  jn_model_destroy(m);
}

static void a_file_that_cannot_be_read_is_named_with_the_reason(void **state) {
  (void)state;
  load_fails(path_of("absent.urdf"), NULL, JN_ERR_FILE, strerror(ENOENT));
  load_fails(directory, NULL, JN_ERR_FILE, strerror(EISDIR));
  const char *path = path_of("secret.json");
  put_file(path, native);
  assert_int_equal(chmod(path, 0), 0);
  if (access(path, R_OK) != 0) load_fails(path, NULL, JN_ERR_FILE, strerror(EACCES)); /* root may read it */
  remove(path);
}

static void a_file_above_the_limit_is_refused(void **state) {
  (void)state;
  jn_options options;
  jn_model *m;
  const char *path = path_of("large.json");
  char text[8192]; /* blanks, so that the bytes reach the limit before the values (64 bytes each) do */
  snprintf(text, sizeof text, "%-8000s", native);
  put_file(path, text);
  jn_options_init(&options);
  options.max_bytes = strlen(text);
  assert_int_equal(jn_load(path, &options, &m, NULL), JN_OK);
  jn_model_destroy(m);
  options.max_bytes--;
  load_fails(path, &options, JN_ERR_FILE, "is larger than the limit of 7999 bytes");
  load_fails(path, &options, JN_ERR_FILE, "--max-bytes");
  assert_int_equal(jn_load_text(text, strlen(text), JN_FORMAT_AUTO, NULL, &options, &m, NULL), JN_ERR_FILE);
  remove(path);
}

static void a_pipe_is_read_to_its_end(void **state) {
  (void)state;
  int ends[2];
  char path[32];
  jn_model *m;
  assert_int_equal(pipe(ends), 0);
  snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
  assert_int_equal(write(ends[1], native, strlen(native)), (ssize_t)strlen(native));
  close(ends[1]);
  if (access(path, R_OK) == 0) {
    assert_int_equal(jn_load(path, NULL, &m, NULL), JN_OK);
    assert_string_equal(jn_model_name(m), "n");
    jn_model_destroy(m);
  }
  close(ends[0]);
}

static void a_large_file_is_read_whole(void **state) {
  (void)state;
  enum { SPACES = 300000 };
  jn_model *m;
  const char *path = path_of("spaces.json");
  char *text = malloc(SPACES + sizeof native);
  memset(text, ' ', SPACES);
  memcpy(text + SPACES, native, sizeof native);
  put_file(path, text);
  assert_int_equal(jn_load(path, NULL, &m, NULL), JN_OK);
  assert_true(jn_model_fixed_mass(m) == 2);
  jn_model_destroy(m);
  free(text);
  remove(path);
}

static void null_arguments_are_refused(void **state) {
  (void)state;
  jn_model *m = NULL;
  jn_error error;
  char *text;
  assert_int_equal(jn_load(NULL, NULL, &m, &error), JN_ERR_NULL);
  assert_int_equal(error.status, JN_ERR_NULL);
  assert_int_equal(jn_load("builtin:panda", NULL, NULL, NULL), JN_ERR_NULL);
  assert_int_equal(jn_load_text(NULL, 0, JN_FORMAT_AUTO, NULL, NULL, &m, NULL), JN_ERR_NULL);
  assert_int_equal(jn_builder_load(NULL, "x", NULL), JN_ERR_NULL);
  assert_int_equal(jn_builder_load_text(NULL, native, 1, JN_FORMAT_AUTO, NULL, NULL), JN_ERR_NULL);
  assert_int_equal(jn_save(NULL, "x.json", JN_FORMAT_AUTO, NULL, NULL), JN_ERR_NULL);
  assert_int_equal(jn_save_text(NULL, JN_FORMAT_AUTO, NULL, &text, NULL, NULL), JN_ERR_NULL);
  jn_text_free(NULL, NULL);
}

static void a_builder_can_be_changed_between_reading_and_freezing(void **state) {
  (void)state;
  static const double payload[10] = {3, 0, 0, 0, 1, 1, 1, 0, 0, 0};
  jn_builder *b;
  jn_model *m;
  assert_int_equal(jn_builder_create(NULL, &b), JN_OK);
  assert_int_equal(jn_builder_load(b, "builtin:planar_2r", NULL), JN_OK);
  assert_int_equal(jn_builder_add_payload(b, "link2", payload), JN_OK);
  assert_int_equal(jn_builder_freeze(b, &m, NULL), JN_OK);
  assert_true(jn_model_mass(m) == 5);
  jn_model_destroy(m);
  jn_builder_destroy(b);
}

static void a_builder_that_met_faults_cannot_be_frozen(void **state) {
  (void)state;
  static const char bad[] = "{\"bodies\": [{\"name\": \"a\", \"parent\": 1}]}";
  jn_builder *b;
  jn_model *m;
  jn_error error;
  assert_int_equal(jn_builder_create(NULL, &b), JN_OK);
  assert_int_equal(jn_builder_load_text(b, bad, strlen(bad), JN_FORMAT_NATIVE, "bad.json", NULL), JN_ERR_MODEL);
  assert_int_equal(jn_builder_freeze(b, &m, &error), JN_ERR_MODEL);
  assert_string_equal(error.file, "bad.json");
  assert_null(m);
  jn_builder_destroy(b);
}

/* ---- writing ---- */

static jn_model *planar(void) {
  jn_model *m;
  assert_int_equal(jn_load("builtin:planar_2r", NULL, &m, NULL), JN_OK);
  return m;
}

static void the_extension_determines_the_format(void **state) {
  (void)state;
  static const struct {
    const char *name;
    char first;
  } files[] = {{"a.json", '{'}, {"a.JSON", '{'}, {"a.urdf", '<'}, {"a.xml", '<'}};
  jn_model *m = planar();
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    const char *path = path_of(files[i].name);
    jn_model *again;
    assert_int_equal(jn_save(m, path, JN_FORMAT_AUTO, NULL, NULL), JN_OK);
    FILE *f = fopen(path, "rb");
    assert_int_equal(fgetc(f), files[i].first);
    fclose(f);
    assert_int_equal(jn_load(path, NULL, &again, NULL), JN_OK);
    assert_int_equal(jn_model_nv(again), 2);
    jn_model_destroy(again);
    remove(path);
  }
  jn_error error;
  assert_int_equal(jn_save(m, path_of("a.txt"), JN_FORMAT_AUTO, NULL, &error), JN_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, ".json"));
  assert_int_equal(access(path_of("a.txt"), F_OK), -1);
  jn_model_destroy(m);
}

static void saving_replaces_a_file_and_keeps_its_mode(void **state) {
  (void)state;
  struct stat info;
  jn_model *m = planar(), *again;
  const char *path = path_of("old.json"), *link = path_of("link.json");
  put_file(path, "old");
  assert_int_equal(chmod(path, 0640), 0);
  assert_int_equal(symlink(path, link), 0);
  assert_int_equal(jn_save(m, link, JN_FORMAT_AUTO, NULL, NULL), JN_OK);
  assert_int_equal(lstat(link, &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0640);
  assert_int_equal(jn_load(path, NULL, &again, NULL), JN_OK);
  jn_model_destroy(again);
  jn_model_destroy(m);
  remove(link);
  remove(path);
}

static void saving_through_a_link_to_nothing_makes_the_file_it_names(void **state) {
  (void)state;
  struct stat info;
  jn_model *m = planar(), *again;
  jn_error error;
  assert_int_equal(mkdir(path_of("there"), 0755), 0);
  assert_int_equal(symlink("there/two.json", path_of("one.json")), 0); /* relative to the place of the link */
  assert_int_equal(symlink("new.json", path_of("there/two.json")), 0);
  assert_int_equal(jn_save(m, path_of("one.json"), JN_FORMAT_AUTO, NULL, NULL), JN_OK);
  assert_int_equal(lstat(path_of("one.json"), &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  assert_int_equal(lstat(path_of("there/two.json"), &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  assert_int_equal(lstat(path_of("there/new.json"), &info), 0);
  assert_true(S_ISREG(info.st_mode));
  assert_int_equal(jn_load(path_of("one.json"), NULL, &again, NULL), JN_OK);
  jn_model_destroy(again);
  const char *ring = path_of("ring.json");
  assert_int_equal(symlink("ring.json", ring), 0);
  assert_int_equal(jn_save(m, ring, JN_FORMAT_AUTO, NULL, &error), JN_ERR_FILE);
  assert_non_null(strstr(error.text, strerror(ELOOP)));
  jn_model_destroy(m);
  remove(ring);
  remove(path_of("one.json"));
  remove(path_of("there/two.json"));
  remove(path_of("there/new.json"));
  remove(path_of("there"));
}

static void a_file_that_cannot_be_written_is_named_with_the_reason(void **state) {
  (void)state;
  static const struct {
    const char *path;
    int code;
  } cases[] = {{"/nowhere/at/all/x.json", ENOENT}, {"/dev/full", ENOSPC}};
  jn_model *m = planar();
  jn_error error;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (cases[i].code == ENOSPC && access(cases[i].path, W_OK) != 0) continue;
    assert_int_equal(jn_save(m, cases[i].path, JN_FORMAT_NATIVE, NULL, &error), JN_ERR_FILE);
    assert_string_equal(error.file, cases[i].path);
    if (!strstr(error.text, strerror(cases[i].code))) fail_msg("%s", error.text);
  }
  assert_int_equal(jn_save(m, directory, JN_FORMAT_NATIVE, NULL, &error), JN_ERR_FILE);
  assert_non_null(strstr(error.text, strerror(EISDIR)));
  jn_model_destroy(m);
}

static void what_cannot_be_saved_leaves_the_old_file(void **state) {
  (void)state;
  static const char spherical[] =
      "{\"bodies\": [{\"name\": \"a\", \"joint\": {\"type\": \"spherical\"}, \"inertia\": {\"mass\": 1, \"tensor\": "
      "[1, 1, 1, "
      "0, 0, 0]}}]}";
  char content[8] = "";
  jn_model *m;
  jn_error error;
  const char *path = path_of("keep.urdf");
  put_file(path, "old");
  assert_int_equal(jn_load_text(spherical, strlen(spherical), JN_FORMAT_AUTO, NULL, NULL, &m, NULL), JN_OK);
  assert_int_equal(jn_save(m, path, JN_FORMAT_AUTO, NULL, &error), JN_ERR_UNSUPPORTED);
  FILE *f = fopen(path, "rb");
  assert_int_equal(fread(content, 1, sizeof content, f), 3);
  fclose(f);
  assert_string_equal(content, "old");
  jn_model_destroy(m);
  remove(path);
}

/* ---- built-in robots ---- */

static void the_built_in_robots_have_their_sizes_and_masses(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int links, nq, nv, frames, suspicious;
    double mass;
  } robots[] = {{"delta", 10, 22, 21, 1, 0, 3.02},   {"double_pendulum", 2, 2, 2, 1, 0, 2},
                {"five_bar", 4, 4, 4, 1, 0, 2.2},    {"four_bar", 3, 3, 3, 1, 0, 2.6},
                {"humanoid", 32, 38, 37, 5, 0, 60},  {"kuka_iiwa", 7, 7, 7, 1, 2, 20.66958},
                {"panda", 7, 7, 7, 1, 0, 16.062132}, {"planar_2r", 2, 2, 2, 1, 0, 2},
                {"quadruped", 13, 19, 18, 4, 0, 30}, {"slider_crank", 3, 3, 3, 0, 0, 1.7},
                {"stewart", 13, 25, 24, 1, 0, 28}};
  int count = (int)(sizeof robots / sizeof *robots);
  assert_int_equal(jn_builtin_count(), count);
  for (int i = 0; i < count; i++) {
    char source[64];
    jn_model *m;
    jn_options options;
    jn_options_init(&options);
    options.report = jn_report_create(NULL);
    snprintf(source, sizeof source, "builtin:%s", robots[i].name);
    assert_string_equal(jn_builtin_name(i), robots[i].name);
    assert_true(strlen(jn_builtin_summary(i)) > 40);
    assert_int_equal(jn_load(source, &options, &m, NULL), JN_OK);
    assert_string_equal(jn_model_name(m), robots[i].name);
    assert_int_equal(jn_link_count(m), robots[i].links);
    assert_int_equal(jn_model_nq(m), robots[i].nq);
    assert_int_equal(jn_model_nv(m), robots[i].nv);
    assert_int_equal(jn_frame_count(m) - jn_link_count(m), robots[i].frames);
    assert_true(fabs(jn_model_mass(m) - robots[i].mass) < 1e-12 * robots[i].mass);
    assert_int_equal(jn_report_count(options.report), robots[i].suspicious);
    jn_report_destroy(options.report);
    jn_model_destroy(m);
  }
  assert_null(jn_builtin_name(count));
  assert_null(jn_builtin_name(-1));
  assert_null(jn_builtin_summary(count));
}

static void every_joint_of_a_built_in_robot_has_limits(void **state) {
  (void)state;
  for (int i = 0; i < jn_builtin_count(); i++) {
    char source[64];
    jn_model *m;
    snprintf(source, sizeof source, "builtin:%s", jn_builtin_name(i));
    assert_int_equal(jn_load(source, NULL, &m, NULL), JN_OK);
    for (int v = 0; v < jn_model_nv(m); v++) {
      if (jn_joint_type_of(m, jn_coordinate_joint(m, v, NULL)) == JN_FREE) continue;
      const jn_dof *d = jn_coordinate_dof(m, v);
      assert_true(isfinite(d->lower) && isfinite(d->upper) && d->lower < d->upper);
      assert_true(isfinite(d->velocity) && isfinite(d->effort));
    }
    jn_model_destroy(m);
  }
}

/* The mirror image of a left joint (x, y, z) -> (x, -y, z): rotations about x and z change their sign. */
static void the_humanoid_is_the_same_left_and_right(void **state) {
  (void)state;
  static const double mirror[10] = {1, 1, -1, 1, 1, 1, 1, -1, 1, -1};
  int pairs = 0;
  jn_model *m;
  assert_int_equal(jn_load("builtin:humanoid", NULL, &m, NULL), JN_OK);
  for (int i = 0; i < jn_link_count(m); i++) {
    char name[64];
    double a[16], b[16];
    if (strncmp(jn_link_name(m, i), "left_", 5) != 0) continue;
    snprintf(name, sizeof name, "right_%s", jn_link_name(m, i) + 5);
    int k = jn_link_index(m, name);
    assert_true(k >= 0);
    jn_link_inertia(m, i, a);
    jn_link_inertia(m, k, b);
    for (int c = 0; c < 10; c++) assert_true(a[c] == mirror[c] * b[c]);
    jn_link_placement(m, i, a);
    jn_link_placement(m, k, b);
    assert_true(a[3] == b[3] && a[7] == -b[7] && a[11] == b[11]);
    const jn_joint *l = jn_joint_description(m, i), *r = jn_joint_description(m, k);
    assert_memory_equal(l->axis, r->axis, sizeof l->axis);
    if (l->axis[1] == 1)
      assert_true(l->dof[0].lower == r->dof[0].lower && l->dof[0].upper == r->dof[0].upper);
    else
      assert_true(l->dof[0].lower == -r->dof[0].upper && l->dof[0].upper == -r->dof[0].lower);
    pairs++;
  }
  assert_int_equal(pairs, 13);
  jn_model_destroy(m);
}

static void unknown_built_in_robots_are_refused_with_a_suggestion(void **state) {
  (void)state;
  load_fails("builtin:pandas", NULL, JN_ERR_NAME, "did you mean 'panda'?");
  load_fails("builtin:", NULL, JN_ERR_NAME, "known are: delta, double_pendulum");
  static const char *const chains[] = {"0", "10001", "-1", "x", "", "7x", " 7", "99999999999999999999"};
  for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
    char source[64];
    snprintf(source, sizeof source, "builtin:chain:%s", chains[i]);
    load_fails(source, NULL, JN_ERR_NAME, "1 to 10000");
  }
}

#endif

/* ---- whatever the build has ---- */

static void a_chain_has_as_many_joints_as_asked(void **state) {
  (void)state;
  static const int sizes[] = {1, 2, 25, 10000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char source[64], name[64];
    int n = sizes[i];
    jn_model *m;
    jn_options options;
    jn_options_init(&options);
    options.strict = 1; /* nothing suspicious */
    snprintf(source, sizeof source, "builtin:chain:%d", n);
    assert_int_equal(jn_load(source, &options, &m, NULL), JN_OK);
    assert_int_equal(jn_model_nv(m), n);
    assert_int_equal(jn_model_depth(m), n);
    assert_true(fabs(jn_model_mass(m) - n) < 1e-9 * n);
    snprintf(name, sizeof name, "joint%d", n);
    assert_int_equal(jn_joint_index(m, name), n - 1);
    snprintf(name, sizeof name, "link%d", n);
    assert_int_equal(jn_link_index(m, name), n - 1);
    jn_model_destroy(m);
  }
}

/* Text of the format loads if the build has the part, and otherwise the error names the library. */
static void part(const char *text, int built, const char *library) {
  jn_model *m;
  jn_error error;
  jn_status status = jn_load_text(text, strlen(text), JN_FORMAT_AUTO, NULL, NULL, &m, &error);
  assert_int_equal(status, built ? JN_OK : JN_ERR_UNSUPPORTED);
  assert_int_equal(built, m != NULL);
  if (!built) assert_non_null(strstr(error.text, library));
  jn_model_destroy(m);
}

static void what_the_build_lacks_is_named(void **state) {
  (void)state;
  jn_model *m;
  char *text;
  part("{\"bodies\": [{\"name\": \"a\"}]}", JN_WITH_JSON, "jansson");
  part("<robot name='u'><link name='b'/></robot>", JN_WITH_URDF, "expat");
  assert_int_equal(jn_builtin_count() > 0, JN_WITH_JSON);
  assert_int_equal(jn_load("builtin:panda", NULL, &m, NULL), JN_WITH_JSON ? JN_OK : JN_ERR_UNSUPPORTED);
  jn_model_destroy(m);
  assert_int_equal(jn_load("builtin:chain:3", NULL, &m, NULL), JN_OK);
  assert_int_equal(jn_save_text(m, JN_FORMAT_NATIVE, NULL, &text, NULL, NULL),
                   JN_WITH_JSON ? JN_OK : JN_ERR_UNSUPPORTED);
  jn_text_free(text, NULL);
  assert_int_equal(jn_save_text(m, JN_FORMAT_URDF, NULL, &text, NULL, NULL), JN_WITH_URDF ? JN_OK : JN_ERR_UNSUPPORTED);
  jn_text_free(text, NULL);
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_chain_has_as_many_joints_as_asked),
    cmocka_unit_test(what_the_build_lacks_is_named),
#if JN_WITH_JSON && JN_WITH_URDF
    cmocka_unit_test(the_content_determines_the_format),
    cmocka_unit_test(other_content_is_refused_with_what_was_found),
    cmocka_unit_test(a_format_that_does_not_exist_is_refused),
    cmocka_unit_test(a_file_that_cannot_be_read_is_named_with_the_reason),
    cmocka_unit_test(a_file_above_the_limit_is_refused),
    cmocka_unit_test(a_pipe_is_read_to_its_end),
    cmocka_unit_test(a_large_file_is_read_whole),
    cmocka_unit_test(null_arguments_are_refused),
    cmocka_unit_test(a_builder_can_be_changed_between_reading_and_freezing),
    cmocka_unit_test(a_builder_that_met_faults_cannot_be_frozen),
    cmocka_unit_test(the_extension_determines_the_format),
    cmocka_unit_test(saving_replaces_a_file_and_keeps_its_mode),
    cmocka_unit_test(saving_through_a_link_to_nothing_makes_the_file_it_names),
    cmocka_unit_test(a_file_that_cannot_be_written_is_named_with_the_reason),
    cmocka_unit_test(what_cannot_be_saved_leaves_the_old_file),
    cmocka_unit_test(the_built_in_robots_have_their_sizes_and_masses),
    cmocka_unit_test(every_joint_of_a_built_in_robot_has_limits),
    cmocka_unit_test(the_humanoid_is_the_same_left_and_right),
    cmocka_unit_test(unknown_built_in_robots_are_refused_with_a_suggestion),
#endif
  };
#if JN_WITH_JSON && JN_WITH_URDF
  return cmocka_run_group_tests_name("load", tests, make_directory, remove_directory);
#else
  return cmocka_run_group_tests_name("load", tests, NULL, NULL);
#endif
}
