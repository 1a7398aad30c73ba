# The page docs/verification.md from the lines of results that script/verification gathers.
$1 == "row" { rows = rows (rows ? ", " : "") "`" $2 "`"; next }
$1 == "compiler" { compilers[++ncompiler] = $2; next }
$1 == "date" { date = $2; next }
$1 == "commit" { commit = $2; next }
$1 == "covered at" { covered_at = $2; next }
$1 == "step" { steps[++nstep] = $2; next }
$1 == "memory" { sites += $2; memory[++nmemory] = "| " $3 " | " $2 " |"; next }
$1 == "billion" { split($0, many, "\t"); next }
$1 == "cover" { covered_file[++nfile] = $2; total[$2] = $3; reached[$2] = $4; missed[$2] = $5; all_lines += $3; all_reached += $4; next }
$1 == "fuzz" { fuzz[++nfuzz] = "| " $2 " | " $3 " | " $4 " |"; executions += $3; findings += $4; next }
$1 == "claim" { n = split($3, names, " "); for (i = 1; i <= n; i++) { test[names[i]] = $2; what[names[i]] = $4 } next }
$1 == "function" { header[++count] = $2; name[count] = $3; public[$3] = 1; next }
$1 == "run" { row = $2; seed = $3; models = $4; seconds = $5; next }
$1 == "property" {
  properties[$2] = properties[$2] (properties[$2] ? "; " : "") $3
  pairs++
  if ($2 == "jn_integrate" && $3 == "long double") states = $6
  if (!($2 in worst) || $4 + 0 > worst[$2] || $4 == "inf") { worst[$2] = $4 + 0; shown[$2] = $4; model[$2] = $7; at[$2] = $8 }
  if ($5 > over[$2]) over[$2] = $5
  if (property_count[$2]++ == 0 && ($2 in public)) soaked++
}
function thousands(x,    s) { s = sprintf("%d", x); while (s ~ /[0-9][0-9][0-9][0-9]/) sub(/[0-9][0-9][0-9]($|,)/, ",&", s); return s }
# the same property of several outputs once
function once(text,    parts, n, i, seen, out) {
  n = split(text, parts, "; ")
  for (i = 1; i <= n; i++) if (!(parts[i] in seen)) { seen[parts[i]] = 1; out = out (out ? "; " : "") parts[i] }
  return out
}
END {
  print "# Verification"
  print ""
  print "What is checked, how, and the largest errors that were found. This page is made by `script/verification --run` from the"
  print "results of real runs. A test fails if a public function has no check or is missing here. Made on " date
  print "at commit " commit "."
  print ""
  print "## In short"
  print ""
  print "* " count " public functions. " soaked " of them compute; they are checked against properties and other number types on random models."
  print "  Each of the others (builders, queries, files, memory) has a named test that calls it."
  printf "* `script/soak`: %s random models, %s states, %s pairs of a function and a property, variant `%s`, seed %s, %.0f s.\n", thousands(models), thousands(states), thousands(pairs), row, seed, seconds
  if (many[2]) printf "* `script/soak --billion`: %s states in batches, at most %s roundings from the single state, and the power balance holds to %s.\n", thousands(many[2]), many[4], many[6]
  else print "* `script/soak --billion`: not run."
  if (nmemory) print "* " thousands(sites) " allocations were made to fail one at a time, in " nmemory " calls that build, read or allocate: each gave an error, and no memory of jounce was leaked."
  if (all_lines) printf "* %s of %s lines reached by the tests (%.1f %%).\n", thousands(all_reached), thousands(all_lines), 100 * all_reached / all_lines
  if (nfuzz) print "* " thousands(executions) " fuzzed inputs, " findings + 0 " findings."
  else print "* Fuzzers: not run for this page."
  print ""
  print "## How to read the figures"
  print ""
  print "An error is given in *roundings*: |error| / (epsilon x size). epsilon is the rounding unit of the number type (2.2e-16"
  print "for double, 1.2e-7 for float). size is the magnitude of the result times its condition: the larger of |result| and"
  print "its change per relative change of all inputs and all numbers of the model, computed in long double. If a result is zero"
  print "by structure (a single joint has no Coriolis forces), it is the size of the terms that cancel."
  print "An error of 1 is the effect of rounding the inputs once. The soak fails above 1000."
  print ""
  print "What results are compared with:"
  print ""
  print "* **complex step**: the public functions compiled over complex numbers. The imaginary part of f(x + ih) / h is the exact"
  print "  derivative, without differences. This checks derivatives of every order against the function itself;"
  print "* **long double**: the same functions over long double show the rounding errors. They share the algorithm, so on its own"
  print "  this checks only rounding, lanes and instruction sets;"
  print "* **properties and definitions** that share no code with what they check: Newton and Euler link by link, products of"
  print "  exponentials by their series, power balance, solutions inserted into the equations, closures of loops written"
  print "  again as polynomials of time;"
  print "* for batches and float: each state by itself in long double, with the same inputs."
  print ""
  print "Every worst case is a small file. `script/soak --replay build/soak/worst/jn_inverse_dynamics` computes it again and must"
  print "give the same number. The columns *model* and *state* identify it (seed " seed ")."
  print ""
  print "```sh"
  print "script/soak --minutes 5             # or --models 1000, --seed 7"
  print "script/soak --replay                # all worst cases"
  print "script/soak --billion               # a billion states in batches"
  print "script/verification --run           # all of it, and this page"
  print "```"
  print ""
  while ((getline line < "build/verification/verdicts.md") > 0) print line
  print ""
  print "## Where the tests run"
  print ""
  print "Kernel rows (number type and instruction set) on this machine: " rows "."
  print "`script/test` runs the tests, including a short soak, in each of them. Its steps:"
  print ""
  for (i = 1; i <= nstep; i++) print "* " steps[i]
  print ""
  print "Compilers of this run:"
  print ""
  for (i = 1; i <= ncompiler; i++) print "* " compilers[i]
  print ""
  print "## A billion states"
  print ""
  if (many[2]) {
    print "Inverse dynamics of the Panda (seven joints) at " thousands(many[2]) " random states, in batches of 4096 (seed " many[3] ", " many[8] " s, row `" many[9] "`"
    print "for the single states). Each state was computed again by itself: the largest difference was " many[4] " roundings (batch " many[5] ")."
    print "The power v . tau was compared with the rate of kinetic and potential energy from `jn_energy_jet_batch()`, which is"
    print "another algorithm: at most " many[6] " roundings (batch " many[7] "). Here a rounding is relative to the largest force, and"
    print "to the sum of |v tau|."
  } else print "Not run for this page."
  print ""
  print "## Allocations"
  print ""
  if (nmemory) {
    print "`tests/test_memory.c` makes every allocation fail once: the first, the second, and so on, until the call succeeds. Each failure"
    print "must end in an error, without a memory leak (except in other libraries); computing functions must not allocate at all."
    print ""
    print "| function | allocations failed |"
    print "|---|---|"
    for (i = 1; i <= nmemory; i++) print memory[i]
  } else print "Not run for this page."
  print ""
  print "## Fuzzing"
  print ""
  if (nfuzz) {
    print "| target | inputs | findings |"
    print "|---|---|---|"
    for (i = 1; i <= nfuzz; i++) print fuzz[i]
  } else print "Not run for this page."
  print ""
  print "## Functions"
  print ""
  last = ""
  for (i = 1; i <= count; i++) {
    if (header[i] ~ /^(batch|float|float_batch)$/) continue
    f = name[i]
    if (header[i] != last) {
      last = header[i]
      print ""
      print "### " last ".h"
      print ""
      print "| function | checked by | worst [roundings] | models | model, state |"
      print "|---|---|---|---|---|"
    }
    if (f in worst) print "| `" f "` | " once(properties[f]) " | " shown[f] " | " over[f] " | " model[f] ", " at[f] " |"
    else print "| `" f "` | `tests/test_" test[f] ".c`: " what[f] " | | | |"
  }
  print ""
  print "### Batches and float"
  print ""
  print "Worst errors of the batch and float versions of the functions above, in roundings of their own number type, compared with"
  print "long double at the same inputs, state by state."
  print ""
  print "| function | worst [roundings] | models | model, state |"
  print "|---|---|---|---|"
  for (i = 1; i <= count; i++) {
    f = name[i]
    if (header[i] !~ /^(batch|float|float_batch)$/) continue
    if (f in worst) print "| `" f "` | " shown[f] " | " over[f] " | " model[f] ", " at[f] " |"
    else print "| `" f "` | `tests/test_" test[f] ".c`: " what[f] " | | |"
  }
  print ""
  print "## Lines that no test reaches"
  print ""
  if (!nfile) { print "Coverage was not measured for this page."; exit }
  print "By gcov at commit " covered_at ", over all rows, without optimisation: a line counts as reached when any variant of the kernels"
  print "reaches it."
  print ""
  print "| file | lines | reached | not reached |"
  print "|---|---|---|---|"
  for (i = 1; i <= nfile; i++) {
    f = covered_file[i]
    if (reached[f] == total[f]) { whole++; continue }
    n = split(missed[f], parts, ", ")
    text = ""
    for (k = 1; k <= n && k <= 12; k++) text = text (text ? ", " : "") parts[k]
    if (n > 12) text = text ", and " n - 12 " more ranges"
    printf "| `%s` | %d | %.1f %% | %s |\n", f, total[f], 100 * reached[f] / total[f], text
  }
  print ""
  print whole + 0 " further files are reached in every line."
}
