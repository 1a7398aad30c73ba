/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce --completion: tab completion for bash, zsh and fish, from the same tables as --help.
 *
 * The scripts hold words only: what they offer is compared and printed, never evaluated, and every word of a table is
 * quoted for its shell. They do not run jounce. */
#include <jounce/io.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../command.h"
#include "../text/text.h"
#include "options.h"

/* What may stand in one place of the line: file names, words, or a list of words split by commas. */
typedef struct values {
  bool files, list;
  const char *words; /* split by '|', or NULL; "builtin:" stands for all robots */
} values;

static bool is_file(const char *value) { return value && strstr(value, "FILE") != NULL; }

static values option_values(const option *o) {
  values v = {.files = is_file(o->value), .list = o->kind == OPTION_NAMES && o->words, .words = o->words};
  if (o->kind == OPTION_CHOICE) v.words = o->value;
  if (!v.words && v.files && strchr(o->value, '|')) v.words = strchr(o->value, '|') + 1; /* FILE|ignore */
  return v;
}

/* Of an argument: `name` begins with a word of "MODEL OUT". */
static values argument_values(const char *name) {
  if (strncmp(name, "MODEL", 5) == 0) return (values){.files = true, .words = "builtin:|-"};
  if (strncmp(name, "TRAJECTORY", 10) == 0) return (values){.files = true, .words = "builtin:demo|-"};
  return (values){.files = true};
}

static const char *next_argument(const char *name) {
  name += strcspn(name, " ");
  return name + (*name == ' ');
}

/* ---- Words of a shell ---- */

/* `special` are the characters that need a backslash; `'` is written as `quote`. */
typedef struct shell {
  const char *special, *quote;
} shell;

static const shell bash = {"", "'\\''"}, zsh = {"[]:\\", "'\\''"}, fish = {"\\", "\\'"};

/* Text inside single quotes. */
static void put(const shell *s, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\'') {
      fputs(s->quote, stdout);
    } else {
      if (strchr(s->special, text[i])) putchar('\\');
      putchar(text[i]);
    }
  }
}

/* The beginning of a help text, to the first stop, in less than a line. */
static void put_brief(const shell *s, const char *help) {
  enum { MOST = 64 };
  size_t end = strcspn(help, "\n;"), stop;
  const char *sentence = strstr(help, ". ");
  if (sentence && (size_t)(sentence - help) < end) end = (size_t)(sentence - help);
  for (stop = end; stop > MOST || (stop < end && help[stop] != ' '); stop--) continue;
  while (stop > 0 && strchr(" :,;", help[stop - 1])) stop--;
  put(s, help, stop);
  if (stop < end && end > MOST) fputs(" ...", stdout);
}

/* Each word as ` 'word'`, or without quotes when the list stands in quotes itself. */
static void put_word(const shell *s, const char *text, size_t length, bool quoted) {
  putchar(' ');
  if (quoted) putchar('\'');
  put(s, text, length);
  if (quoted) putchar('\'');
}

static void put_robots(const shell *s, bool quoted) {
  for (int i = 0; i <= jn_builtin_count(); i++) {
    char word[128];
    int length = snprintf(word, sizeof word, "builtin:%s", i < jn_builtin_count() ? jn_builtin_name(i) : "chain:");
    if (length > 0 && length < (int)sizeof word) put_word(s, word, (size_t)length, quoted);
  }
}

static void put_words(const shell *s, const char *words, bool quoted) {
  for (size_t length; words && *words; words += length + (words[length] == '|')) {
    length = strcspn(words, "|");
    if (length == 8 && strncmp(words, "builtin:", 8) == 0)
      put_robots(s, quoted);
    else
      put_word(s, words, length, quoted);
  }
}

/* ---- bash ---- */

static void value_case(const char *command, const char *name, const values *v) {
  if (!v->files && !v->words) return;
  say(stdout, "    %s:%s) files=%d list=%d known=(", command, name, v->files, v->list);
  put_words(&bash, v->words, true);
  puts(" ) ;;");
}

static void value_cases(const option_set *set) {
  int index = 0;
  for (const char *name = set->arguments; *name; name = next_argument(name)) {
    char number[16];
    snprintf(number, sizeof number, "%d", index++);
    values v = argument_values(name);
    value_case(set->command, number, &v);
  }
  for (int i = 0; i < set->count; i++) {
    if (!set->options[i].name) continue;
    values v = option_values(&set->options[i]);
    value_case(set->command, set->options[i].name, &v);
  }
}

static void bash_option_case(const option_set *set) {
  say(stdout, "    %s)\n      options=( --help", set->command);
  for (int i = 0; i < set->count; i++)
    if (set->options[i].name) say(stdout, " --%s", set->options[i].name);
  say(stdout, " )\n      takes=' ");
  for (int i = 0; i < set->count; i++) {
    const option *o = &set->options[i];
    if (o->name && o->kind != OPTION_FLAG && o->kind != OPTION_MAYBE) say(stdout, "%s ", o->name);
  }
  puts("' ;;");
}

/* The table of values, in words of bash and zsh. */
static void print_values(const subcommand *commands, int count) {
  puts("_jounce_values() { # COMMAND:OPTION or COMMAND:NUMBER of the argument\n  case $1 in");
  for (int i = 0; i < count; i++) option_visit(commands[i].run, commands[i].name, value_cases);
  puts("  esac\n}");
}

static const char bash_body[] =
    "_jounce() {\n"
    "  local line=() n=0 i word whole cur command='' pending='' lead='' at=0 plain=0\n"
    "  local options=() takes='' known=() files=0 list=0\n"
    "  for ((i = 1; i <= COMP_CWORD; i++)); do # readline splits words at : and =\n"
    "    word=${COMP_WORDS[i]}\n"
    "    if ((n > 0)) && [[ $word == [:=]* || ${line[n - 1]} == *[:=] ]]; then\n"
    "      line[n - 1]+=$word\n"
    "    else\n"
    "      line[n++]=$word\n"
    "    fi\n"
    "  done\n"
    "  whole=${line[n - 1]-}\n"
    "  cur=$whole\n"
    "  for ((i = 0; i < n - 1; i++)); do # the command, the arguments so far, the option whose value comes next\n"
    "    word=${line[i]}\n"
    "    if [[ -z $command ]]; then\n"
    "      command=$word\n"
    "      _jounce_options \"$command\"\n"
    "    elif [[ -n $pending ]]; then\n"
    "      pending=''\n"
    "    elif ((plain)) || [[ $word != -?* ]]; then\n"
    "      at=$((at + 1))\n"
    "    elif [[ $word == -- ]]; then\n"
    "      plain=1\n"
    "    elif [[ $takes == *\" ${word#--} \"* ]]; then\n"
    "      pending=${word#--}\n"
    "    fi\n"
    "  done\n"
    "  COMPREPLY=()\n"
    "  if [[ -z $command ]]; then\n"
    "    known=(\"${_jounce_commands[@]}\" help --help --version --completion)\n"
    "  elif [[ $command == help || $command == --completion ]]; then\n"
    "    [[ $command == help ]] && known=(\"${_jounce_commands[@]}\") || known=(bash zsh fish)\n"
    "  elif [[ -n $pending ]]; then\n"
    "    _jounce_values \"$command:$pending\"\n"
    "  elif [[ $cur == --*=* ]] && ((!plain)); then\n"
    "    word=${cur%%=*}\n"
    "    lead=$word=\n"
    "    cur=${cur#*=}\n"
    "    _jounce_values \"$command:${word#--}\"\n"
    "  elif [[ $cur == -* ]] && ((!plain)); then\n"
    "    known=(\"${options[@]}\")\n"
    "  else\n"
    "    _jounce_values \"$command:$at\"\n"
    "    if ((!files)) && [[ ${line[n - 2]} == --?* ]]; then # its value may be left out\n"
    "      word=${line[n - 2]}\n"
    "      _jounce_values \"$command:${word#--}\"\n"
    "    fi\n"
    "  fi\n"
    "  if ((list)) && [[ $cur == *,* ]]; then\n"
    "    lead+=${cur%,*},\n"
    "    cur=${cur##*,}\n"
    "  fi\n"
    "  for word in \"${known[@]}\"; do\n"
    "    [[ $word == \"$cur\"* ]] && COMPREPLY+=(\"$lead$word\")\n"
    "  done\n"
    "  if ((files && ${#COMPREPLY[@]})); then # words and files; without words, readline finds files by itself\n"
    "    for word in \"$cur\"*; do\n"
    "      [[ -e $word ]] || continue\n"
    "      [[ -d $word ]] && word+=/\n"
    "      printf -v word %q \"$word\"\n"
    "      COMPREPLY+=(\"$lead$word\")\n"
    "    done\n"
    "  fi\n"
    "  ((files)) || compopt +o default 2>/dev/null\n"
    "  if ((list)) || [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:/] ]]; then\n"
    "    compopt -o nospace 2>/dev/null\n"
    "  fi\n"
    "  lead=${whole%\"${whole##*[:=]}\"} # readline replaces only what follows the last : or =\n"
    "  if [[ -n $lead && $COMP_WORDBREAKS == *\"${lead: -1}\"* ]]; then\n"
    "    for i in \"${!COMPREPLY[@]}\"; do\n"
    "      COMPREPLY[i]=${COMPREPLY[i]#\"$lead\"}\n"
    "    done\n"
    "  fi\n"
    "}\n"
    "complete -o default -F _jounce jounce\n";

static void print_bash(const subcommand *commands, int count) {
  puts("# Tab completion of jounce for bash. Made by: jounce --completion bash");
  say(stdout, "_jounce_commands=(");
  for (int i = 0; i < count; i++) say(stdout, " %s", commands[i].name);
  puts(" )\n_jounce_options() { # the options of a command, and which of them take a value\n  case $1 in");
  for (int i = 0; i < count; i++) option_visit(commands[i].run, commands[i].name, bash_option_case);
  puts("  esac\n}");
  print_values(commands, count);
  fputs(bash_body, stdout);
}

/* ---- zsh ---- */

/* The action of _arguments: a function that looks into the same table as bash. */
static void zsh_action(const char *command, const char *name, const values *v) {
  if (v->files || v->words)
    say(stdout, ":{_jounce_offer %s %s}", command, name);
  else
    fputs(": ", stdout);
}

static void zsh_case(const option_set *set) {
  say(stdout, "    %s)\n      _arguments -S '(- *)--help[show the help]'", set->command);
  for (int i = 0; i < set->count; i++) {
    const option *o = &set->options[i];
    if (!o->name) continue;
    values v = option_values(o);
    say(stdout, " \\\n        '--%s%s[", o->name, o->kind == OPTION_FLAG ? "" : o->kind == OPTION_MAYBE ? "=-" : "=");
    put_brief(&zsh, o->help);
    putchar(']');
    if (o->kind != OPTION_FLAG) {
      fputs(o->kind == OPTION_MAYBE ? "::" : ":", stdout);
      put(&zsh, o->kind == OPTION_CHOICE ? "word" : o->value, strlen(o->kind == OPTION_CHOICE ? "word" : o->value));
      zsh_action(set->command, o->name, &v);
    }
    putchar('\'');
  }
  int index = 0;
  for (const char *name = set->arguments; *name; name = next_argument(name)) {
    values v = argument_values(name);
    char number[16];
    snprintf(number, sizeof number, "%d", index);
    say(stdout, " \\\n        '%d:%.*s", ++index, (int)strcspn(name, " "), name);
    zsh_action(set->command, number, &v);
    putchar('\'');
  }
  puts(" ;;");
}

static void print_zsh(const subcommand *commands, int count) {
  puts(
      "#compdef jounce\n"
      "# Tab completion of jounce for zsh. Made by: jounce --completion zsh");
  print_values(commands, count);
  puts(
      "_jounce_offer() { # COMMAND, and an option or the number of an argument\n"
      "  local files=0 list=0\n"
      "  local -a known\n"
      "  _jounce_values \"$1:$2\"\n"
      "  if ((list)); then\n"
      "    _values -s , name $known\n"
      "  elif ((files && $#known)); then\n"
      "    _alternative 'words:word:compadd -a known' 'files:file:_files'\n"
      "  elif ((files)); then\n"
      "    _files\n"
      "  else\n"
      "    compadd -a known\n"
      "  fi\n"
      "}\n"
      "_jounce() {\n"
      "  local curcontext=$curcontext state line\n"
      "  local -a commands=(");
  for (int i = 0; i < count; i++) {
    say(stdout, "    '%s:", commands[i].name);
    put_brief(&bash, commands[i].help);
    puts("'");
  }
  puts(
      "    'help:show the help of a command'\n"
      "  )\n"
      "  _arguments -C '(- *)--help[show the help]' '(- *)--version[show the version]' \\\n"
      "    '(- *)--completion=[print the tab completion for a shell]:shell:(bash zsh fish)' \\\n"
      "    '1:command:->command' '*::argument:->argument'\n"
      "  if [[ $state == command ]]; then\n"
      "    _describe -t commands command commands\n"
      "  elif [[ $state == argument ]]; then\n"
      "    case $words[1] in\n"
      "    help) _describe -t commands command commands ;;");
  for (int i = 0; i < count; i++) option_visit(commands[i].run, commands[i].name, zsh_case);
  puts(
      "    esac\n"
      "  fi\n"
      "}\n"
      "if [[ $funcstack[1] == _jounce ]]; then _jounce \"$@\"; else compdef _jounce jounce; fi");
}

/* ---- fish ---- */

static void fish_values(const values *v) {
  if (v->files) fputs(" -F", stdout);
  if (!v->words) return;
  fputs(v->list ? " -a '(__jounce_list" : " -a '", stdout);
  put_words(&fish, v->words, false);
  fputs(v->list ? ")'" : "'", stdout);
}

static void fish_lines(const option_set *set) {
  const char *const when = "complete -c jounce -n '__fish_seen_subcommand_from";
  say(stdout, "%s %s' -l help -d 'show the help'\n", when, set->command);
  for (int i = 0; i < set->count; i++) {
    const option *o = &set->options[i];
    if (!o->name) continue;
    values v = option_values(o);
    say(stdout, "%s %s' -l %s -d '", when, set->command, o->name);
    put_brief(&fish, o->help);
    putchar('\'');
    if (o->kind != OPTION_FLAG && o->kind != OPTION_MAYBE) fputs(v.files ? " -r" : " -x", stdout);
    if (o->kind != OPTION_FLAG) fish_values(&v);
    putchar('\n');
  }
  for (const char *name = set->arguments; *name; name = next_argument(name)) {
    values v = argument_values(name);
    say(stdout, "%s %s'", when, set->command);
    fish_values(&v);
    putchar('\n');
  }
}

static void print_fish(const subcommand *commands, int count) {
  puts(
      "# Tab completion of jounce for fish. Made by: jounce --completion fish\n"
      "function __jounce_list # words behind what is there already of a list split by commas\n"
      "  set -l word (commandline -ct | string replace -r -- '^--[^=]*=' '')\n"
      "  printf '%s\\n' (string replace -r -- '[^,]*$' '' \"$word\")$argv\n"
      "end\n"
      "complete -c jounce -f\n"
      "complete -c jounce -n __fish_use_subcommand -l help -d 'show the help'\n"
      "complete -c jounce -n __fish_use_subcommand -l version -d 'show the version'\n"
      "complete -c jounce -n __fish_use_subcommand -l completion -x -a 'bash zsh fish' -d 'print the tab completion'\n"
      "complete -c jounce -n __fish_use_subcommand -a help -d 'show the help of a command'");
  for (int i = 0; i < count; i++) {
    say(stdout, "complete -c jounce -n __fish_use_subcommand -a %s -d '", commands[i].name);
    put_brief(&fish, commands[i].help);
    say(stdout, "'\ncomplete -c jounce -n '__fish_seen_subcommand_from help' -a %s\n", commands[i].name);
  }
  for (int i = 0; i < count; i++) option_visit(commands[i].run, commands[i].name, fish_lines);
}

int print_completion(const char *shell_name, const subcommand *commands, int count) {
  if (strcmp(shell_name, "bash") == 0)
    print_bash(commands, count);
  else if (strcmp(shell_name, "zsh") == 0)
    print_zsh(commands, count);
  else if (strcmp(shell_name, "fish") == 0)
    print_fish(commands, count);
  else
    return usage_error(NULL, "--completion takes bash, zsh or fish, not '%s'", shell_name);
  return EXIT_FINE;
}
