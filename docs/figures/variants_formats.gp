# The sum of n equal weights 1/n, each rounded to a format.
set xlabel "number of keys"
eval y_title("sum of the weights")
set logscale x
set format x "10^{%L}"
set xrange [1:2e8]
set yrange [0:2.25]
set xtics 10, 100
set ytics 0, 0.5
set label "E4M3" at 1.3e3, 1.75 textcolor rgb blue
set label "binary16" at 2.2e7, 2.08 right textcolor rgb green
set label "bfloat16" at 3e4, 1.1 center textcolor rgb mauve
plot data using 1:4 with lines lw 2.5 lc rgb mauve, \
  data using 1:3 with lines lw 2 lc rgb green, \
  data using 1:2 with lines lw 2 lc rgb blue
