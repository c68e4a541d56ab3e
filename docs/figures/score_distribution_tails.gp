# The probability of a score far out, relative to that under the normal distribution of the same variance.
set xlabel "standard deviations from the mean"
eval y_title("tail probability, over that of the normal distribution")
set logscale y
set format y "10^{%L}"
set xrange [0:10]
set yrange [0.3:1e13]
set ytics 1, 1000
set label "d = 4" at 7.1, 3e8 right textcolor rgb vermilion
set label "d = 64" at 8.75, 1e5 right textcolor rgb blue
set label "d = 1024" at 9.9, 70 right textcolor rgb green
plot data using 1:2 with lines lw 2.5 lc rgb vermilion, \
  data using 1:3 with lines lw 2.5 lc rgb blue, \
  data using 1:4 with lines lw 2.5 lc rgb green
