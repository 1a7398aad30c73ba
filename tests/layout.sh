#!/bin/sh
# The layout of src/, tool/ and plugin/.   layout.sh SOURCE
# - Includes between folders point one way (docs/architecture.md): `may` says which folders a folder may include.
# - A folder shows others only the headers in `shows`. Structs of its other headers are opaque to them, so that the
#   compiler refuses every use of their members.
# - One name has one meaning: within each of src/, tool/ and plugin/, no type or macro has the name of another one, or of
#   a public one. Names of a single .c file may come again in other files of the folders in is_local(), and so may
#   macros that their file undefines.
set -eu
cd "$1"
find src tool plugin include/jounce -name '*.[ch]' | sort | xargs awk '
BEGIN {
  # folder: the folders of src/ that its files may include besides their own
  may["lie"] = " "
  may["text"] = " "
  may["tree"] = " lie "
  may["kernel"] = " lie tree "
  may["model"] = " lie text tree "
  may["dispatch"] = " lie tree kernel model "
  may["io"] = " lie model text dense "
  may["dense"] = " model "
  may["series"] = " "
  may["generate"] = " model tree lie loops elastic "
  may["edit"] = " lie text tree model "
  may["ident"] = " dense model "
  may["loops"] = " dense lie model series "
  may["tasks"] = " dense loops model series "
  may["trajectory"] = " dense model io text series "
  may["elastic"] = " dense model series "
  may["retime"] = " model series "
  may["solvers"] = " dense model series "
  may["simulation"] = " dense dispatch loops model lie tree kernel series "
  may["tool"] = " text io "
  may["plugin"] = " text model "

  # folder: its headers that files of other folders may include; "*": all
  shows["lie"] = shows["tree"] = shows["text"] = shows["dense"] = shows["series"] = " * "
  shows["model"] = " builder.h convert.h draft.h inertia_law.h limits.h log.h memory.h model.h shelf.h singular.h stop.h "
  shows["kernel"] = " base/call.h base/sweep.h sensitivity/perturbation.h terms/terms.h "
  shows["dispatch"] = " batch.h dispatch.h "
  shows["io"] = " limit.h native.h table.h whole_file.h "
  shows["loops"] = " conditions.h constraints.h "
  shows["elastic"] = " elastic.h "
}
function complain(text) { print text > "/dev/stderr"; failed = 1 }

# A type or macro that this file defines; the same by #if in one file is one. Programs have names of their own: the
# library, the command, the plugin; public ones belong to all of them.
function meet(what, name) {
  if (FILENAME ~ /^include/ || FILENAME ~ /^src/) meet_in("library", what, name)
  if (FILENAME ~ /^include/ || FILENAME ~ /^tool/) meet_in("command", what, name)
  if (FILENAME ~ /^include/ || FILENAME ~ /^plugin/) meet_in("plugin", what, name)
}
function meet_in(program, what, name,    key) {
  key = what " " name " " program
  if (!((key, FILENAME) in met)) files[key] = files[key] " " FILENAME
  met[key, FILENAME] = 1
}
# Whether a name is for one file alone, of a folder where other files may use it again.
function is_local(what, name, file) {
  return (what, name, file) in undefined || (file ~ /\.c$/ && file ~ /^(tool|plugin|src\/(io|ident|loops|tasks|trajectory|simulation|solvers|elastic|retime))\//)
}

# The path of an included file, from that of the file that includes it: steps up and down are followed.
function path_of(file, included,    part, step, count, steps, i, path) {
  count = split(file, part, "/") - 1
  steps = split(included, step, "/")
  for (i = 1; i <= steps; i++)
    if (step[i] == "..") count--
    else if (step[i] != ".") part[++count] = step[i]
  path = part[1]
  for (i = 2; i <= count; i++) path = path "/" part[i]
  return path
}

FNR == 1 { split(FILENAME, part, "/"); folder = part[1] == "src" ? part[2] : part[1] == "include" ? "" : part[1] }

/^#include "/ && folder != "" {
  included = $0
  sub(/^#include "/, "", included)
  sub(/".*/, "", included)
  if (included !~ /^\.\./ && included !~ /^(src|tool|plugin)\//) next # of its own folder, public, or made by the build
  path = included ~ /^\.\./ ? path_of(FILENAME, included) : included
  split(path, part, "/")
  from = part[1] == "src" ? part[2] : part[1]
  header = path
  sub(/^src\/[a-z]+\//, "", header)
  if (from != folder && index(may[folder], " " from " ") == 0)
    complain(FILENAME " includes " included ": " folder " may include only" may[folder])
  else if (from != folder && index(shows[from], " * ") == 0 && index(shows[from], " " header " ") == 0)
    complain(FILENAME " includes " included ": " from " shows other folders only" shows[from])
  if (FILENAME ~ /^src\/kernel\/base\// && from == "kernel" && path !~ /^src\/kernel\/base\//)
    complain(FILENAME " includes " included ": base knows no algorithm")
}

/^typedef (struct|union|enum) [a-z]/ { name = $3; sub(/[;{*].*/, "", name); meet("type", name) }
/^} [a-z][a-z0-9_]*;/ { name = $2; sub(/;.*/, "", name); meet("type", name) }
/^#define [A-Za-z_]/ && folder != "" {
  name = $2
  sub(/\(.*/, "", name)
  if (name !~ /^(NUMBER|TREE|PUBLIC)$/) meet("macro", name)
}
/^#undef / { undefined["macro", $2, FILENAME] = 1 }
END {
  for (key in files) {
    split(key, part, " ")
    count = split(files[key], file, " ")
    others = ""
    for (i = 1; i <= count; i++)
      if (!is_local(part[1], part[2], file[i])) others = others " " file[i]
    if (count > 1 && others != "") complain(part[1] " " part[2] " is in" files[key])
  }
  exit failed
}'
