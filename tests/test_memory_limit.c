/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory stays a small multiple of the limit, whatever a file contains: for each kind of element, the largest file that
 * is accepted and one that is refused are read, and the peak memory of the command is measured. */
#define _DEFAULT_SOURCE /* wait4() */
#include "support/running.h"

#include <sys/resource.h>

/* The limit of these tests; the multiple of it that is allowed, as docs/limits.md says; what the command takes anyway.
 */
enum { LIMIT = 16 << 20, MULTIPLE = 4, BASE = 24 << 20 };

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

/* A file of many equal parts; %d in a part is its number. */
typedef struct kind {
  const char *name, *before, *part, *behind;
} kind;

#define INERTIA "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"

static const kind kinds[] = {
    {"fixed.urdf", "<robot name='r'><link name='b'/>",
     "<link name='l%d'/><joint name='j%d' type='fixed'><parent link='b'/><child link='l%d'/></joint>", "</robot>"},
    {"moving.urdf", "<robot name='r'><link name='b'/>",
     "<link name='l%d'>" INERTIA
     "</link><joint name='j%d' type='continuous'><parent link='b'/><child link='l%d'/></joint>",
     "</robot>"},
    {"joints.urdf", "<robot name='r'><link name='b'/>", "<joint/>", "</robot>"},
    {"links.urdf", "<robot name='r'>", "<link/>", "</robot>"},
    {"bodies.xml", "<mujoco><worldbody>", "<body/>", "</worldbody></mujoco>"},
    {"joints.xml", "<mujoco><worldbody>", "<body><joint/><geom size='1'/></body>", "</worldbody></mujoco>"},
    {"balls.xml", "<mujoco><worldbody>", "<body><freejoint/><geom size='1'/></body>", "</worldbody></mujoco>"},
    {"sites.xml", "<mujoco><worldbody><body>", "<site name='s%d'/>", "</body></worldbody></mujoco>"},
    {"geoms.xml", "<mujoco><worldbody><body>", "<geom size='1'/>", "</body></worldbody></mujoco>"},
    {"welds.xml", "<mujoco><worldbody><body name='a'/><body name='b'/></worldbody><equality>",
     "<weld body1='a' body2='b'/>", "</equality></mujoco>"},
    {"bodies.json", "{\"name\": \"r\", \"bodies\": [{\"name\": \"b\"}", ", {\"name\": \"l%d\"}", "]}"},
    {"frames.json",
     "{\"name\": \"r\", \"bodies\": [{\"name\": \"b\"}], \"frames\": [{\"name\": \"f\", \"body\": \"b\"}",
     ", {\"name\": \"f%d\", \"body\": \"b\"}", "]}"},
    {"loops.json",
     "{\"name\": \"r\", \"bodies\": [{\"name\": \"b\"}], \"loops\": [{\"name\": \"l\", \"type\": \"weld\", \"a\": "
     "{\"body\": \"b\"}, \"b\": {\"body\": \"b\"}}",
     ", {\"name\": \"l%d\", \"type\": \"weld\", \"a\": {\"body\": \"b\"}, \"b\": {\"body\": \"b\"}}", "]}"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void write_parts(const kind *k, int count) {
  FILE *f = fopen(in_directory(k->name), "w");
  assert_non_null(f);
  fputs(k->before, f);
  for (int i = 0; i < count; i++)
    for (const char *p = k->part; *p; p++) {
      if (p[0] == '%' && p[1] == 'd')
        fprintf(f, "%d", i), p++;
      else
        fputc(*p, f);
    }
  fputs(k->behind, f);
  assert_int_equal(fclose(f), 0);
}

/* Runs the command without a shell; its peak memory [bytes]. `refused`: whether stderr says that it is too large. */
static size_t measure(const char *const *words, int *code, int *refused) {
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    char *copy[16] = {NULL};
    for (int i = 0; words[i]; i++) copy[i] = strdup(words[i]);
    if (chdir(directory) != 0 || !freopen("/dev/null", "w", stdout) || !freopen("stderr", "w", stderr) ||
        !freopen("/dev/null", "r", stdin))
      _exit(99);
    execv(JN_COMMAND, copy);
    _exit(98);
  }
  int status;
  struct rusage usage;
  assert_int_equal(wait4(child, &status, 0, &usage), child);
  *code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  char *text = read_file("stderr");
  *refused = strstr(text, "the limit of") != NULL || strstr(text, "too large") != NULL;
  free(text);
  return (size_t)usage.ru_maxrss * 1024;
}

static size_t measure_file(const char *name, int *refused) {
  char limit[32];
  int code;
  snprintf(limit, sizeof limit, "%d", (int)LIMIT);
  size_t peak =
      measure((const char *const[]){"jounce", "info", name, "--json", "--max-bytes", limit, NULL}, &code, refused);
  if (code != 0 && code != 1) fail_msg("%s: code %d", name, code);
  return peak;
}

static void files_take_a_small_multiple_of_the_limit(void **state) {
  (void)state;
#ifdef SANITIZED
  puts("# a sanitizer needs memory of its own: not tested");
  return;
#endif
  for (int i = 0; i < KINDS; i++) {
    int accepted = 1, refused = 2000000 / (1 + (int)strlen(kinds[i].part) / 20), is_refused;
    write_parts(&kinds[i], refused);
    size_t over = measure_file(kinds[i].name, &is_refused), most = 0;
    if (!is_refused) fail_msg("%s: %d parts are not refused", kinds[i].name, refused);
    while (refused - accepted > 1 + accepted / 20) {
      int count = (accepted + refused) / 2;
      write_parts(&kinds[i], count);
      size_t peak = measure_file(kinds[i].name, &is_refused);
      if (peak > most) most = peak;
      *(is_refused ? &refused : &accepted) = count;
    }
    printf("# %s: at most %d parts; peak %.1f times the limit, when refused %.1f\n", kinds[i].name, accepted,
           (double)most / LIMIT, (double)over / LIMIT);
    size_t allowed = (size_t)MULTIPLE * LIMIT + BASE;
    if (most > allowed || over > allowed) fail_msg("%s: more than %d times the limit", kinds[i].name, (int)MULTIPLE);
    unlink(in_directory(kinds[i].name));
  }
}

/* A small file may ask for large results: they are counted before there is memory for them. */
static void results_are_counted(void **state) {
  (void)state;
#ifdef SANITIZED
  puts("# a sanitizer needs memory of its own: not tested");
  return;
#endif
  static const char *const wants[] = {"M", "Minv", "C", "M_jets", "Y", "dtau_dq", "dM_dq", "d2tau"};
  write_parts(&kinds[1], 2000);
  for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
    int code, refused;
    size_t peak =
        measure((const char *const[]){"jounce", "eval", kinds[1].name, "--want", wants[i], "--max-bytes", "16M", NULL},
                &code, &refused);
    printf("# %s of 2000 coordinates: peak %.1f times the limit\n", wants[i], (double)peak / LIMIT);
    if (code != 1 || !refused) fail_msg("%s: code %d, which is not a refusal", wants[i], code);
    if (peak > (size_t)MULTIPLE * LIMIT + BASE) fail_msg("%s: more than %d times the limit", wants[i], (int)MULTIPLE);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_take_a_small_multiple_of_the_limit),
      cmocka_unit_test(results_are_counted),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
