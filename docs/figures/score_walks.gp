# A score as a walk: forty of them, and one standard deviation to either side.
set xlabel "terms added, i"
eval y_title("sum of the first i terms")
set xrange [0:560]
set xtics 128
set yrange [-75:75]
set label "√i" at 527,sqrt(512) left textcolor rgb vermilion
set label "−√i" at 527,-sqrt(512) left textcolor rgb vermilion
root(x, sign) = x > 512 ? NaN : sign * sqrt(x)
plot data using 1:2 with lines lw 0.8 lc rgb haze, \
  root(x, 1) with lines lt 2 lw 2.5, \
  root(x, -1) with lines lt 2 lw 2.5
