# The computing functions of public headers, for script/float-header and script/batch-functions:
#   awk -v what=WHAT [-v named="HEADER ..."] -f script/declarations.awk HEADER...     (named: more headers whose functions exist in float)
#     float     structs and functions in single precision, with their comments
#     batch     functions for many states, with their comments: sizes in brackets get a first dimension, count
#     list      one line per function for batches: NAME|ARGUMENTS
#     structs   names of structs that hold double, without jn_, as alternatives in a sed pattern: a\|b
# A comment belongs to the declarations right below it, up to the next comment or an empty line.

# Whether a version of a function (given on one line) is to be generated. Sensitivities have no batch version, because
# their perturbations belong to one state.
function is_wanted(line) {
  if (line !~ /double/ || line ~ /jn_batch_set_parameters\(/) return 0 # parameters are double
  return what == "float" || (line ~ /\(const jn_model \*model, jn_work \*work, / && line !~ /_sensitivity\(|jn_perturbation_of\(/)
}
function name_of(line) { sub(/\(.*/, "", line); sub(/.*[ *]jn_/, "", line); return line }

# The text of the comment that starts in `line`, without comment marks.
function comment_of(line,    text) {
  sub(/^\/\* ?/, "", line)
  while (line !~ /\*\//) {
    text = text line "\n"
    getline line
    if (line !~ /^ \*\//) sub(/^ \* ?/, "", line)
  }
  if (sub(/^ *\*\/.*$/, "", line)) sub(/\n$/, "", text)
  sub(/ *\*\/.*$/, "", line)
  return text line
}
# The declaration that starts in `line`, joined to one line.
function declaration_of(line,    more) {
  while (line !~ /;/) {
    getline more
    sub(/^ +/, " ", more)
    line = line more
  }
  sub(/ *\/\*.*$/, "", line)
  return line
}

# Renames structs, and functions where they are called, to their single-precision versions.
function in_float(text,    out, name) {
  gsub(/double/, "float", text)
  while (match(text, /jn_[a-z0-9_]+\(?/)) {
    name = substr(text, RSTART + 3, RLENGTH - 3)
    out = out substr(text, 1, RSTART - 1) (name in twin ? "jnf_" : "jn_") name
    text = substr(text, RSTART + RLENGTH)
  }
  return out text
}
# [6 x nv] becomes [count x 6 x nv]; citations, units and indices stay.
function in_batch(text,    out, inside) {
  while (match(text, /\[[^][]*\]/)) {
    inside = substr(text, RSTART + 1, RLENGTH - 2)
    gsub(/\n/, " ", inside)
    out = out substr(text, 1, RSTART - 1) "[" (inside ~ "^" SIZE "( x " SIZE ")*$" ? "count x " : "") inside "]"
    text = substr(text, RSTART + RLENGTH)
  }
  return out text
}

# Prints a comment, its lines filled to 120 columns; indented lines stay.
function put(text,    lines, n, i, words, count, k, line, open) {
  text = what == "float" ? in_float(text) : in_batch(text)
  n = split(text, lines, "\n")
  line = "/*"
  for (i = 1; i <= n; i++) {
    if (lines[i] ~ /^ / || open) { # a formula or a table, and what comes after it
      print line
      line = " *"
      open = lines[i] ~ /^ /
      if (open) { line = line " " lines[i]; continue }
    }
    count = split(lines[i], words, " ")
    for (k = 1; k <= count; k++) {
      if (length(line " " words[k]) > 120) { print line; line = " *" }
      line = line " " words[k]
    }
  }
  if (length(line) > 117) { print line; line = "" }
  print line " */"
}

BEGIN {
  SIZE = "(([0-9]+ ?)?(nq|nv|nlink|nframe|L|k|nv_joint)|[0-9]+|\\(K\\+[0-9]\\))"
  for (i = 1; i < ARGC; i++) if (index(named " ", ARGV[i] " ") == 0) named = named " " ARGV[i]
  count = split(named, known, " ")
  for (i = 1; i <= count; i++) {
    while ((getline < known[i]) > 0) {
      if ($0 ~ /^typedef struct jn_.*\{$/) name = $3
      if (name != "" && $0 ~ /double/ && !((substr(name, 4)) in twin)) {
        twin[substr(name, 4)] = 1
        structs = structs (structs ? "\\|" : "") substr(name, 4)
      }
      if ($0 ~ /^}/) name = ""
      if ($0 ~ /^JN_API/) { line = declaration_of_file(known[i], $0); if (line ~ /double/) twin[name_of(line) "("] = 1 }
    }
    close(known[i])
  }
  if (what == "structs") { print structs; exit }
}
# The same as declaration_of(), for a file that is read in BEGIN.
function declaration_of_file(file, line,    more) {
  while (line !~ /;/ && (getline more < file) > 0) line = line more
  return line
}

FNR == 1 { inside = 0 }
/^extern "C" \{/ { inside = 1; getline; next }
!inside { next }
/^#ifdef __cplusplus/ { inside = 0; next }
/^$/ { comment = ""; if (put_any) print ""; put_any = 0; next }
/^\/\*/ { comment = comment_of($0); said = 0; next }
/^typedef struct jn_.*\{$/ {
  text = $0
  while ($0 !~ /^}/) { getline; text = text "\n" $0 }
  if (what == "float" && text ~ /double/) { put(comment); print in_float(text); put_any = 1 }
  comment = ""
  next
}
/^JN_API/ {
  line = declaration_of($0)
  if (!is_wanted(line)) next
  if (what == "list") {
    arguments = line
    sub(/^[^(]*\(const jn_model \*model, jn_work \*work, /, "", arguments)
    sub(/\);$/, "", arguments)
    print name_of(line) "|" arguments
    next
  }
  if (!said && comment != "" && comment !~ /^----/) put(comment)
  said = put_any = 1
  if (what == "batch") sub(/\(const jn_model \*model, jn_work \*work, /, "_batch(jn_batch *batch, size_t count, ", line)
  print what == "float" ? in_float(line) : line
}
