# The spectral norm of the derivative of softmax against the number of keys.
set xlabel "number of keys n"
set ylabel "spectral norm of the derivative"
set logscale xy
set xrange [2:512]
set yrange [0.0015:1]
set key bottom left
set arrow from 10, graph 0 to 10, graph 1 nohead lw 1 dt 3 lc rgb "#777777"
set arrow from 100, graph 0 to 100, graph 1 nohead lw 1 dt 3 lc rgb "#777777"
set label "n = 10" at 10, graph 0.97 offset 0.4, 0 textcolor rgb "#777777"
set label "n = 100" at 100, graph 0.97 offset 0.4, 0 textcolor rgb "#777777"
plot data using 1:3 with lines lt 3 title "one key has 0.9", \
  data using 1:4 with lines lt 2 title "one key has 0.99", \
  data using 1:2 with lines lt 1 title "uniform"
