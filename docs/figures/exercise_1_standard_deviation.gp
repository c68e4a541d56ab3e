# A score as a walk: forty of them, and one standard deviation to either side.
eval canvas(400)
set xlabel "terms added"
eval y_title("sum of the terms so far")
set xrange [0:512]
set xtics 128
set yrange [-75:75]
set ytics 25
set label "one standard deviation, √i" at 505, 60 right textcolor rgb vermilion
plot data every 2 using 1:2 with lines lw 0.8 lc rgb haze, \
  sqrt(x) with lines lw 2.5 lc rgb vermilion, \
  -sqrt(x) with lines lw 2.5 lc rgb vermilion
