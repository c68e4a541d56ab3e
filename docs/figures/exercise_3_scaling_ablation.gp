# Learning curves with and without scaling: medians and quartiles over 48 seeds.
set xlabel "step"
set ylabel "share of right answers"
set xrange [0:100]
set yrange [0:1.02]
set style fill transparent solid 0.18 noborder
set key tmargin left vertical maxrows 3
plot data index 0 using 1:2:4 with filledcurves lc 1 notitle, \
  data index 1 using 1:2:4 with filledcurves lc 2 notitle, \
  data index 2 using 1:2:4 with filledcurves lc 3 notitle, \
  data index 0 using 1:3 with lines lt 1 title "divided by 8", \
  data index 1 using 1:3 with lines lt 2 title "unscaled, at its own best rate", \
  data index 2 using 1:3 with lines lt 3 title "unscaled, at the rate of the scaled layer"
