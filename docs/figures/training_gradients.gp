# The gradient of the attention along the way, at the largest head dimension.
set xlabel "step"
set ylabel "norm of the gradient by W_Q and W_K"
set logscale y
set format y "10^{%T}"
set key right top
set style fill transparent solid 0.18 noborder
plot data using 2:3:5 with filledcurves lc 2 notitle, \
  data using 2:18:20 with filledcurves lc 5 notitle, \
  data using 2:6:8 with filledcurves lc 1 notitle, \
  data using 2:9:11 with filledcurves lc 4 notitle, \
  data using 2:15:17 with filledcurves lc 3 notitle, \
  data using 2:4 with lines lt 2 title "unscaled", \
  data using 2:19 with lines lt 5 title "unscaled, rate of √d", \
  data using 2:7 with lines lt 1 title "divided by √d", \
  data using 2:16 with lines lt 3 title "additive", \
  data using 2:10 with lines lt 4 title "divided by d"
