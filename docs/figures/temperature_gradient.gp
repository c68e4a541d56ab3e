# Two keys: the gradient at the median gap has a best temperature, the mean gradient has none.
set xlabel "temperature, as a multiple of √d"
eval y_title("size of the gradient, times √d")
set logscale x 2
set xrange [0.0625:8]
set xtics ("1/16" 0.0625, "¼" 0.25, "1" 1, "4" 4)
set yrange [0:0.65]
set ytics 0.2
eval guide(1, "attention: √d")
set label "mean over pairs" at 0.16, 0.6 left textcolor rgb vermilion
set label "at the median gap" at 0.3, 0.3 right textcolor rgb blue
plot data using 1:3 with lines lw 2.5 lc rgb vermilion, \
  data using 1:2 with lines lw 2.5 lc rgb blue
