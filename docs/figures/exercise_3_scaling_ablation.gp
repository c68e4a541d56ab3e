# Learning curves with and without scaling: medians and quartiles over the seeds.
eval canvas(380)
set xlabel "step"
eval y_title("share of right answers")
set xrange [0:100]
set yrange [0:1.02]
set ytics 0.25
set label "divided by 8" at 17, 0.92 left textcolor rgb blue
set label "unscaled, at its own best rate" at 98, 0.5 right textcolor rgb vermilion
set label "unscaled, at the rate of the scaled layer" at 98, 0.06 right textcolor rgb gold
plot data index 2 using 1:2:4 with filledcurves lc rgb faint(gold, 0.2), \
  data index 1 using 1:2:4 with filledcurves lc rgb faint(vermilion, 0.18), \
  data index 0 using 1:2:4 with filledcurves lc rgb faint(blue, 0.2), \
  data index 2 using 1:3 with lines lw 2.5 dt (6,3) lc rgb gold, \
  data index 1 using 1:3 with lines lw 2.5 lc rgb vermilion, \
  data index 0 using 1:3 with lines lw 2.5 lc rgb blue
