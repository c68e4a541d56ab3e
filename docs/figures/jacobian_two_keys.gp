# The size of the gradient for two keys: mean and median, with and without scaling.
eval canvas(400)
set xlabel "head dimension d"
eval y_title("norm of the gradient with respect to the raw scores")
set logscale xy
set format y "10^{%L}"
set xrange [1:1024]
set yrange [1e-8:3]
set ytics 1e-8, 100
set mytics 1
eval guide(64, "d = 64")
set label "unscaled, mean" at 1000, 2e-1 right textcolor rgb vermilion
set label "divided by √d:" at 950, 3.5e-3 right textcolor rgb blue
set label "mean and median" at 950, 6e-4 right textcolor rgb blue
set label "unscaled, median:" at 55, 1e-5 right textcolor rgb vermilion
set label "a typical gradient is gone" at 55, 1.7e-6 right textcolor rgb vermilion
plot data using 1:2 with lines lw 2.5 lc rgb vermilion, \
  data using 1:3 with lines lw 2.5 dt (6,4) lc rgb vermilion, \
  data using 1:4 with lines lw 2.5 lc rgb blue, \
  data using 1:5 with lines lw 2.5 dt (6,4) lc rgb blue
