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

static void put_words(const shell *s, const option_values *v, bool quoted) {
  const char *words = v->words, *word, *help;
  for (int i = 0; v->listed && v->listed(i, &word, &help); i++) put_word(s, word, strlen(word), quoted);
  for (size_t length; words && *words; words += length + (words[length] == '|')) {
    length = strcspn(words, "|");
    if (length == 8 && strncmp(words, "builtin:", 8) == 0)
      put_robots(s, quoted);
    else
      put_word(s, words, length, quoted);
  }
}

/* ---- bash ---- */

static void value_case(const char *command, const char *name, const option_values *v) {
  if (!v->files && !v->words && !v->listed) return;
  say(stdout, "    %s:%s) files=%d list=%d known=(", command, name, v->files, v->list);
  put_words(&bash, v, true);
  puts(" ) ;;");
}

static void value_cases(const command_line *line) {
  int index = 0;
  for (const char *name = line->arguments; *name; name = next_argument(name)) {
    char number[16];
    snprintf(number, sizeof number, "%d", index++);
    option_values v = argument_values_of(name);
    value_case(line->name, number, &v);
  }
  option_cursor at = {.line = line};
  for (const option *o; (o = option_next(&at, NULL));) {
    option_values v = option_values_of(o);
    value_case(line->name, o->name, &v);
  }
}

static void bash_option_case(const command_line *line) {
  say(stdout, "    %s)\n      options=( --help", line->name);
  option_cursor at = {.line = line}, again = at;
  for (const option *o; (o = option_next(&at, NULL));) say(stdout, " --%s", o->name);
  say(stdout, " )\n      takes=' ");
  for (const option *o; (o = option_next(&again, NULL));) {
    if (o->kind != OPTION_FLAG && o->kind != OPTION_MAYBE) say(stdout, "%s ", o->name);
  }
  puts("' ;;");
}

/* The table of values, in words of bash and zsh. */
static void print_values(void) {
  puts("_jounce_values() { # COMMAND:OPTION or COMMAND:NUMBER of the argument\n  case $1 in");
  for (int i = 0; i < subcommand_count; i++) value_cases(subcommands[i].line);
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

static void print_bash(void) {
  puts("# Tab completion of jounce for bash. Made by: jounce --completion bash");
  say(stdout, "_jounce_commands=(");
  for (int i = 0; i < subcommand_count; i++) say(stdout, " %s", subcommands[i].line->name);
  puts(" )\n_jounce_options() { # the options of a command, and which of them take a value\n  case $1 in");
  for (int i = 0; i < subcommand_count; i++) bash_option_case(subcommands[i].line);
  puts("  esac\n}");
  print_values();
  fputs(bash_body, stdout);
}

/* ---- zsh ---- */

/* The action of _arguments: a function that looks into the same table as bash. */
static void zsh_action(const char *command, const char *name, const option_values *v) {
  if (v->files || v->words || v->listed)
    say(stdout, ":{_jounce_offer %s %s}", command, name);
  else
    fputs(": ", stdout);
}

static void zsh_case(const command_line *line) {
  say(stdout, "    %s)\n      _arguments -S '(- *)--help[show the help]'", line->name);
  option_cursor at = {.line = line};
  for (const option *o; (o = option_next(&at, NULL));) {
    option_values v = option_values_of(o);
    say(stdout, " \\\n        '--%s%s[", o->name, o->kind == OPTION_FLAG ? "" : o->kind == OPTION_MAYBE ? "=-" : "=");
    put_brief(&zsh, o->help);
    putchar(']');
    if (o->kind != OPTION_FLAG) {
      fputs(o->kind == OPTION_MAYBE ? "::" : ":", stdout);
      put(&zsh, o->kind == OPTION_CHOICE ? "word" : o->value, strlen(o->kind == OPTION_CHOICE ? "word" : o->value));
      zsh_action(line->name, o->name, &v);
    }
    putchar('\'');
  }
  int index = 0;
  for (const char *name = line->arguments; *name; name = next_argument(name)) {
    option_values v = argument_values_of(name);
    char number[16];
    snprintf(number, sizeof number, "%d", index);
    say(stdout, " \\\n        '%d:%.*s", ++index, (int)strcspn(name, " "), name);
    zsh_action(line->name, number, &v);
    putchar('\'');
  }
  puts(" ;;");
}

static void print_zsh(void) {
  puts(
      "#compdef jounce\n"
      "# Tab completion of jounce for zsh. Made by: jounce --completion zsh");
  print_values();
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
  for (int i = 0; i < subcommand_count; i++) {
    say(stdout, "    '%s:", subcommands[i].line->name);
    put_brief(&bash, subcommands[i].line->brief);
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
  for (int i = 0; i < subcommand_count; i++) zsh_case(subcommands[i].line);
  puts(
      "    esac\n"
      "  fi\n"
      "}\n"
      "if [[ $funcstack[1] == _jounce ]]; then _jounce \"$@\"; else compdef _jounce jounce; fi");
}

/* ---- fish ---- */

static void fish_values(const option_values *v) {
  if (v->files) fputs(" -F", stdout);
  if (!v->words && !v->listed) return;
  fputs(v->list ? " -a '(__jounce_list" : " -a '", stdout);
  put_words(&fish, v, false);
  fputs(v->list ? ")'" : "'", stdout);
}

static void fish_lines(const command_line *line) {
  const char *const when = "complete -c jounce -n '__fish_seen_subcommand_from";
  say(stdout, "%s %s' -l help -d 'show the help'\n", when, line->name);
  option_cursor at = {.line = line};
  for (const option *o; (o = option_next(&at, NULL));) {
    option_values v = option_values_of(o);
    say(stdout, "%s %s' -l %s -d '", when, line->name, o->name);
    put_brief(&fish, o->help);
    putchar('\'');
    if (o->kind != OPTION_FLAG && o->kind != OPTION_MAYBE) fputs(v.files ? " -r" : " -x", stdout);
    if (o->kind != OPTION_FLAG) fish_values(&v);
    putchar('\n');
  }
  for (const char *name = line->arguments; *name; name = next_argument(name)) {
    option_values v = argument_values_of(name);
    say(stdout, "%s %s'", when, line->name);
    fish_values(&v);
    putchar('\n');
  }
}

static void print_fish(void) {
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
  for (int i = 0; i < subcommand_count; i++) {
    say(stdout, "complete -c jounce -n __fish_use_subcommand -a %s -d '", subcommands[i].line->name);
    put_brief(&fish, subcommands[i].line->brief);
    say(stdout, "'\ncomplete -c jounce -n '__fish_seen_subcommand_from help' -a %s\n", subcommands[i].line->name);
  }
  for (int i = 0; i < subcommand_count; i++) fish_lines(subcommands[i].line);
}

int print_completion(const char *shell_name) {
  if (strcmp(shell_name, "bash") == 0)
    print_bash();
  else if (strcmp(shell_name, "zsh") == 0)
    print_zsh();
  else if (strcmp(shell_name, "fish") == 0)
    print_fish();
  else
    return usage_error(NULL, "--completion takes bash, zsh or fish, not '%s'", shell_name);
  return EXIT_FINE;
}
