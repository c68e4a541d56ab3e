# The price of spread weights: the variance of an output, and how alike two outputs are.
eval canvas(400)
set xlabel "number of keys"
eval y_title("variance of an output, correlation of two outputs")
set logscale xy
set format x "10^{%L}"
set format y "10^{%L}"
set xrange [2:1.1e6]
set yrange [5e-7:3]
set xtics 10, 10
set ytics 1e-6, 10
set label "variance, raw scores" at 9e5, 1.4 right textcolor rgb vermilion
set label "correlation, divided by √d" at 9e5, 0.13 right textcolor rgb blue
set label "variance, divided by √d" at 9e5, 2e-3 right textcolor rgb blue
set label "correlation, raw scores" at 4e3, 1.5e-5 right textcolor rgb vermilion
plot data using 1:2 with lines lw 2.5 lc rgb vermilion, \
  data using 1:3 with lines lw 2.5 lc rgb blue, \
  data using 1:4 with lines lw 2.5 dt (6,4) lc rgb vermilion, \
  data using 1:5 with lines lw 2.5 dt (6,4) lc rgb blue
