# Exercise 2 of S3: softmax([x, 0, 0, 0]), its slope, and where it reaches one half, 90 %, 99 % and 99.9 %.
set xlabel "x"
set ylabel "attention weight; slope"
set xrange [0:10]
set yrange [0:1.09]
set key at graph 0.31, 0.70 left top Left reverse
set arrow from log(3), 0 to log(3), 1 nohead lw 1 dt 3 lc rgb "#777777"
set arrow from log(27), 0 to log(27), 1 nohead lw 1 dt 3 lc rgb "#777777"
set arrow from log(297), 0 to log(297), 1 nohead lw 1 dt 3 lc rgb "#777777"
set arrow from log(2997), 0 to log(2997), 1 nohead lw 1 dt 3 lc rgb "#777777"
set label "ln 3: steepest" at log(3), 1.04 center textcolor rgb "#777777"
set label "ln 27: 90 %" at log(27), 1.04 center textcolor rgb "#777777"
set label "ln 297: 99 %" at log(297), 1.04 center textcolor rgb "#777777"
set label "ln 2997: 99.9 %" at log(2997), 1.04 center textcolor rgb "#777777"
plot data using 1:2 with lines lt 1 title "weight of x, three others", \
  data using 1:5 with lines lt 1 dt 2 title "weight of x, 511 others", \
  data using 1:3 with lines lt 3 title "weight of each of the three", \
  data using 1:4 with lines lt 2 title "slope, three others"
