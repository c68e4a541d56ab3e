# The gradient of the attention along the way, at the largest head dimension: the unscaled layer above, the scaled below.
eval canvas(660)
set multiplot
set xrange [0:100]
set xtics 25
set logscale y
set format y "10^{%T}"
set yrange [5e-6:5]
set ytics 1e-5, 10
set mytics 1
set bmargin at screen 0.585
set tmargin at screen 0.935
eval y_title("norm of the gradient: the unscaled layer")
set label 1 "at its own rate" at 98, 1.5 right textcolor rgb vermilion
set label 2 "at the rate of the scaled layer" at 58, 1.3e-4 right textcolor rgb gold
plot data using 2:18:20 with filledcurves lc rgb faint(gold, 0.2), \
  data using 2:3:5 with filledcurves lc rgb faint(vermilion, 0.2), \
  data using 2:19 with lines lw 2.5 dt (6,3) lc rgb gold, \
  data using 2:4 with lines lw 2.5 lc rgb vermilion
set bmargin at screen 0.11
set tmargin at screen 0.455
set xlabel "step"
eval y_title("the other layers, each at its own rate")
set label 1 "divided by 8" at 40, 7e-4 right textcolor rgb blue
set label 2 "divided by 64" at 98, 2.2e-2 right textcolor rgb green
set label 3 "additive" at 50, 1 left textcolor rgb mauve
plot data using 2:6:8 with filledcurves lc rgb faint(blue, 0.2), \
  data using 2:16 with lines lw 2.5 lc rgb mauve, \
  data using 2:10 with lines lw 2.5 lc rgb green, \
  data using 2:7 with lines lw 2.5 lc rgb blue
unset multiplot
