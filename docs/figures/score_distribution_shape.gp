# The density of a score in units of its deviation, for three head dimensions, before the normal density.
eval canvas(380)
set xlabel "score, in standard deviations"
eval y_title("density")
set xrange [-4:4]
set yrange [0:0.8]
set ytics 0.2
set label "d = 1" at 0.28, 0.62 left textcolor rgb vermilion
set label "d = 2" at 0.42, 0.47 left textcolor rgb green
set label "d = 64" at 0.95, 0.3 left textcolor rgb blue
set label "shaded: normal" at 1.55, 0.17 left textcolor rgb soft
plot data using 1:5 with filledcurves y1=0 lc rgb faint(soft, 0.3), \
  data using 1:2 with lines lw 2.5 lc rgb vermilion, \
  data using 1:3 with lines lw 2.5 lc rgb green, \
  data using 1:4 with lines lw 2.5 lc rgb blue
