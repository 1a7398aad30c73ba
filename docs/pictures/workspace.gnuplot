# docs/pictures/workspace.svg: example_workspace MAP.csv && gnuplot -e 'map="MAP.csv"' docs/pictures/workspace.gnuplot
set terminal svg size 560,560 font "sans-serif,12" background "white"
set output "docs/pictures/workspace.svg"
set datafile separator ","
set xlabel "x [m]"
set ylabel "z [m]"
set cblabel "manipulability"
set size ratio -1
set xrange [-0.02:1]
set yrange [-0.32:1.1]
set palette defined (0 "#440154", 0.25 "#3b528b", 0.5 "#21918c", 0.75 "#5ec962", 1 "#fde725")
set border 3
set tics nomirror
plot map using 1:2:3 skip 1 with image notitle
