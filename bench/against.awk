# SPDX-License-Identifier: BSD-2-Clause
# Two builds of bench_all side by side, from the files that `bench_all --batch --json` wrote in turn: those named before.*
# and those named after.*. Of the rounds the lower quartile counts: the least of all is now and then that of a moment in
# which the core ran faster. Prints the tables of docs/benchmarks.md, then what takes more than 3 % longer.
BEGIN {
  robots = split("chain7 quadruped humanoid44", robot, " ")
  for (r = 1; r <= robots; r++) seen_robot[robot[r]] = 1
}
function text(name, value) {
  value = $0
  if (!sub(".*\"" name "\": ", "", value)) return ""
  if (sub(/^"/, "", value))
    sub(/".*/, "", value)
  else
    sub(/[,}].*/, "", value)
  return value
}
function quartile(key, n, i, j, x, sorted) {
  n = rounds[key]
  for (i = 1; i <= n; i++) {
    x = value_of[key, i]
    for (j = i - 1; j >= 1 && sorted[j] > x; j--) sorted[j + 1] = sorted[j]
    sorted[j + 1] = x
  }
  return sorted[int((n + 3) / 4)]
}
# 1234 ns as microseconds with three digits
function microseconds(ns, x) {
  x = ns / 1000
  return sprintf(x < 1 ? "%.3f" : x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x)
}
function table(batch, title, r, a, key, old, new, line) {
  print "| " title " |" heads
  print "|---|" rules
  for (a = 1; a <= algorithms; a++) {
    line = ""
    for (r = 1; r <= robots; r++) {
      key = robot[r] SUBSEP algorithm[a] SUBSEP batch
      if (!(("before", key) in rounds) || !(("after", key) in rounds)) {
        line = line " - | - | - |"
        continue
      }
      old = quartile("before" SUBSEP key)
      new = quartile("after" SUBSEP key)
      line = line " " microseconds(old) " | " microseconds(new) " | " sprintf("%.2f", new / old) " |"
      if (new / old > 1.03) slower = slower sprintf("  %-12s %-32s %-10s %.3f\n", robot[r], algorithm[a], batch == 1 ? "one state" : "batch", new / old)
    }
    print "| " algorithm[a] " |" line
  }
}
text("library") == "jounce" {
  name = text("algorithm")
  if (name ~ /jet$/) name = name ", order " text("order")
  if (!(text("robot") in seen_robot)) robot[++robots] = text("robot")
  seen_robot[text("robot")] = 1
  if (!(name in seen)) algorithm[++algorithms] = name
  seen[name] = 1
  batch = text("batch") == "1" ? 1 : 2
  side = FILENAME ~ /before[^\/]*$/ ? "before" : "after"
  key = side SUBSEP text("robot") SUBSEP name SUBSEP batch
  rounds[key]++
  value_of[key, rounds[key]] = text("ns") + 0
}
END {
  for (r = 1; r <= robots; r++) {
    heads = heads " " robot[r] " before | after | ratio |"
    rules = rules "---:|---:|---:|"
  }
  table(1, "microseconds, one state")
  print ""
  table(2, "microseconds for each state of a batch")
  print "\nmore than 3 % slower:"
  printf "%s", slower == "" ? "  none\n" : slower
}
