#!/bin/sh
# The layout of src/: includes between folders point one way (docs/architecture.md), and one name has one meaning: no
# type or macro has the name of another in src/ or of a public one; local are only macros that their file undefines, and
# names of single files of io, ident, loops, tasks, trajectory, simulation, solvers, elastic and retime.   layout.sh SOURCE
set -eu
cd "$1"
find src include/jounce -name '*.[ch]' | sort | xargs awk '
BEGIN {
  # folder: the folders of src/ that its files may include besides their own
  may["lie"] = " "
  may["text"] = " "
  may["tree"] = " lie "
  may["kernel"] = " lie tree "
  may["model"] = " lie text tree "
  may["dispatch"] = " lie tree kernel model "
  may["io"] = " lie model text "
  may["dense"] = " model "
  may["generate"] = " model tree lie loops elastic "
  may["edit"] = " lie tree model "
  may["ident"] = " dense model "
  may["loops"] = " dense lie model "
  may["tasks"] = " loops model "
  may["trajectory"] = " dense model io text "
  may["elastic"] = " dense model "
  may["retime"] = " model "
  may["solvers"] = " loops model "
  may["simulation"] = " dispatch loops model lie tree kernel "
}
function complain(text) { print text > "/dev/stderr"; failed = 1 }

# A type or macro that this file defines; the same by #if in one file is one.
function meet(what, name) {
  if (!((what, name, FILENAME) in met)) files[what " " name] = files[what " " name] " " FILENAME
  met[what, name, FILENAME] = 1
}
# Whether a name is for one file alone, of a folder where such may come again in the next.
function is_local(what, name, file) {
  return (what, name, file) in undefined || (file ~ /\.c$/ && file ~ /^src\/(io|ident|loops|tasks|trajectory|simulation|solvers|elastic|retime)\//)
}

FNR == 1 { split(FILENAME, part, "/"); folder = part[1] == "src" ? part[2] : "" }

/^#include "/ && folder != "" {
  included = $0
  sub(/^#include "/, "", included)
  sub(/".*/, "", included)
  if (included !~ /^\.\./) next # of its own folder, public, or made by the build
  depth = split(FILENAME, part, "/") - 1
  steps = split(included, step, "/")
  for (i = 1; step[i] == ".."; i++) depth--
  from = depth == 1 ? step[i] : folder # depth 1: src/
  if (depth < 1 || (from != folder && index(may[folder], " " from " ") == 0))
    complain(FILENAME " includes " included ": src/" folder " may include only" may[folder])
  if (part[3] == "base" && folder == "kernel" && depth == 2 && step[i] != "base")
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
    if (count > 1 && others != "") complain(key " is in" files[key])
  }
  exit failed
}'
