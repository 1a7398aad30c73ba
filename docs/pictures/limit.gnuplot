# docs/pictures/limit.png: jounce reach builtin:panda --frame panda_flange --path examples/round_path.csv --tolerance 0 --rate 500 \
#   --weights panda_joint3=10,panda_joint5=10 --out MOTION.csv && gnuplot -e 'motion="MOTION.csv"' docs/pictures/limit.gnuplot
set terminal pngcairo size 900,760 font "sans-serif,12" background "white"
set output "docs/pictures/limit.png"
set datafile separator ","
set multiplot layout 3,1
set lmargin 10
set rmargin 3
set border 3
set tics nomirror
set xrange [0:4]
set key at graph 0.02, graph 0.72 left Left reverse
set ylabel "angle [rad]"
set yrange [0:3.3]
plot 2.8973 with lines dashtype 2 linecolor "#888888" title "upper limit of joint 1", \
  motion using 1:2 skip 1 with lines linewidth 2 linecolor "#3b528b" title "joint 1", \
  motion using 1:4 skip 1 with lines linewidth 2 linecolor "#d95f02" title "joint 3"
unset key
set ylabel "velocity [rad/s]"
set yrange [*:*]
plot motion using 1:9 skip 1 with lines linewidth 2 linecolor "#3b528b", motion using 1:11 skip 1 with lines linewidth 2 linecolor "#d95f02"
set xlabel "t [s]"
set ylabel "acceleration [rad/s^2]"
plot motion using 1:16 skip 1 with lines linewidth 2 linecolor "#3b528b", motion using 1:18 skip 1 with lines linewidth 2 linecolor "#d95f02"
