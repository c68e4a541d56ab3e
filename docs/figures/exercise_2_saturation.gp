# The first of four weights as its score grows, and how fast it grows.
set xlabel "x"
set ylabel "weight and slope"
set xrange [0:10]
set yrange [0:1.02]
set key at graph 0.98, 0.62 right Right noreverse
set arrow from log(3), graph 0 to log(3), graph 1 nohead lw 1 dt 3 lc rgb "#777777"
set arrow from log(27), graph 0 to log(27), graph 1 nohead lw 1 dt 3 lc rgb "#777777"
set arrow from log(297), graph 0 to log(297), graph 1 nohead lw 1 dt 3 lc rgb "#777777"
set arrow from log(2997), graph 0 to log(2997), graph 1 nohead lw 1 dt 3 lc rgb "#777777"
set label "50 %" at log(3), graph 0.42 offset 0.4, 0 textcolor rgb "#777777"
set label "90 %" at log(27), graph 0.42 offset 0.4, 0 textcolor rgb "#777777"
set label "99 %" at log(297), graph 0.42 offset 0.4, 0 textcolor rgb "#777777"
set label "99.9 %" at log(2997), graph 0.42 offset 0.4, 0 textcolor rgb "#777777"
plot data using 1:2 with lines lt 1 title "weight of x", \
  data using 1:3 with lines lt 2 title "slope: its derivative by x"
