#!/bin/sh
# Tab completion, by the shells themselves: bash always, zsh and fish where they are installed.   completion.sh COMMAND
# What it knows is what --help=all shows: every option of every command is offered, and only those.
set -eu
command=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
fail() { echo "$*"; failures=$((failures + 1)); }
mkdir "$tmp/here" "$tmp/here/robots"
: >"$tmp/here/arm.urdf"
: >"$tmp/here/bot two.json"
# A name that would do harm if a script evaluated it.
: >"$tmp/here/b\$(touch evil).urdf"

for shell in bash zsh fish; do
  "$command" --completion $shell >"$tmp/jounce.$shell" || fail "no script for $shell"
done
"$command" --completion tcsh >/dev/null 2>&1 && fail "tcsh should be refused"

# offers SHELL WORD...: what the shell offers for the last word, one a line, sorted
cat >"$tmp/offers.bash" <<'BASH'
source "$1"; shift
# as readline does: words split at : and =
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
COMP_WORDS=(jounce)
for word in "$@"; do
  [[ -n $word ]] || COMP_WORDS+=("")
  while [[ -n $word ]]; do
    if [[ $word == [:=]* ]]; then piece=${word:0:1}; else piece=${word%%[:=]*}; fi
    COMP_WORDS+=("$piece")
    word=${word#"$piece"}
    [[ -z $word && $piece == [:=] ]] && COMP_WORDS+=("")
  done
done
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_jounce
printf '%s\n' "${COMPREPLY[@]}"
BASH
cat >"$tmp/offers.fish" <<'FISH'
source $argv[1]
complete -C "jounce $argv[2]"
FISH
offers() {
  shell=$1
  shift
  case $shell in
    bash) (cd "$tmp/here" && bash --norc "$tmp/offers.bash" "$tmp/jounce.bash" "$@") ;;
    fish) (cd "$tmp/here" && HOME=$tmp fish --no-config "$tmp/offers.fish" "$tmp/jounce.fish" "$*" | cut -f1) ;;
  esac | sed 's/=$//' | sort -u
}
expect() { # SHELL, the offers on one line, WORD...
  shell=$1 right=$2
  shift 2
  got=$(offers "$shell" "$@" | paste -sd ' ')
  [ "$got" = "$right" ] || fail "$shell: jounce $*: offers '$got', not '$right'"
}
has() { # SHELL, one offer, WORD...
  shell=$1 right=$2
  shift 2
  offers "$shell" "$@" | grep -qxF -- "$right" || fail "$shell: jounce $*: does not offer '$right'"
}

shells=bash
if command -v fish >/dev/null 2>&1; then shells="bash fish"; else echo "no fish: not tried"; fi
commands=$("$command" --help | sed -n '/^Usage/,/^MODEL/s/^  \([a-z]*\) .*/\1/p')
for shell in $shells; do
  for name in $commands; do has "$shell" "$name" ""; done
  for name in $commands; do
    [ "$name" != help ] || continue
    right=$("$command" "$name" --help=all | sed -n 's/^  \(--[a-z-]*\).*/\1/p' | sort | paste -sd ' ')
    expect "$shell" "$right" "$name" --
  done
  expect "$shell" "aligned body world" eval --in ""
  expect "$shell" "error" torque --missing er
  has "$shell" dtau_dq eval --want dtau_d
  has "$shell" tau,M,Minv eval --want tau,M,Mi
  has "$shell" ignore info --loops i
  expect "$shell" "" eval --order ""
done
# bash replaces what follows the last : or =
expect bash "panda" info builtin:pan
expect bash "body" eval builtin:panda --in=bo
expect bash "tau,hybrid tau,hybrid_d tau,hybrid_jets" eval --want=tau,hyb
expect bash "panda" torque --limits=builtin:pan
expect bash "demo" torque builtin:panda builtin:de
expect bash "panda" torque builtin:panda builtin:demo --limits builtin:pan
has bash "robots/" info ""
has bash "bot\\ two.json" info b
expect bash "" info arm # nothing of ours: readline completes files
expect bash "panda" info --strict --gravity 0,0,1 builtin:pan # options and their values are no arguments
expect bash "builtin:demo" torque arm.urdf --order 3 bui
[ ! -e "$tmp/here/evil" ] || fail "a file name was evaluated"
if command -v fish >/dev/null 2>&1; then
  has fish builtin:panda info builtin:pan
  has fish arm.urdf info ar
  has fish --in=body eval --in=bo
fi

# zsh completes in a terminal only; what it inserts is read back from one.
if command -v zsh >/dev/null 2>&1; then
  cat >"$tmp/zsh.zsh" <<'ZSH'
zmodload zsh/zpty
zpty shell "HOME=$1 zsh -f -i"
zpty -w shell "PS1= PROMPT= TERM=dumb; unsetopt zle_bracketed_paste prompt_cr prompt_sp; cd $1/here; autoload -Uz compinit; compinit -u -d $1/dump; source $1/jounce.zsh"
zpty -w shell 'show() { print -r -- "<<$BUFFER>>"; BUFFER=; zle redisplay; }; zle -N show; bindkey "^X" show; bindkey "^I" complete-word; setopt no_list_beep no_auto_list no_auto_menu; print ready""ok'
zpty -r shell out '*readyok*' || exit 1
status_=0
check() { # the line as typed, the line when completed
  zpty -w -n shell "$1"$'\t\x18'
  local out
  if ! zpty -r -m shell out '*<<*>>*'; then print "zsh: no answer for '$1'"; status_=1; return; fi
  out=${${out##*<<}%%>>*}
  [[ $out == "$2" ]] || { print -r -- "zsh: '$1' becomes '$out', not '$2'"; status_=1 }
}
check 'jounce tor' 'jounce torque '
check 'jounce eval --lam' 'jounce eval --lambda='
check 'jounce eval --in=bo' 'jounce eval --in=body '
check 'jounce eval --in bo' 'jounce eval --in body '
check 'jounce eval --want tau,dC_dp' 'jounce eval --want tau,dC_dpi,'
check 'jounce info builtin:pan' 'jounce info builtin:panda '
check 'jounce torque builtin:panda builtin:de' 'jounce torque builtin:panda builtin:demo '
check 'jounce info arm' 'jounce info arm.urdf '
zpty -d shell
exit $status_
ZSH
  timeout 60 zsh -f "$tmp/zsh.zsh" "$tmp" || fail "zsh"
else
  echo "no zsh: not tried"
fi
[ $failures = 0 ] || { echo "$failures faults"; exit 1; }
