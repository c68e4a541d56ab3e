# Two keys: the gradient at the median gap has a best temperature, the mean gradient has none.
set xlabel "temperature / √d"
set ylabel "norm of the gradient × √d"
set logscale x 2
set xrange [0.0625:8]
set yrange [0:0.65]
set key top right Right noreverse
set arrow from 1, graph 0 to 1, graph 1 nohead lw 1 dt 3 lc rgb "#777777"
plot data using 1:3 with lines lt 2 title "mean", \
  data using 1:2 with lines lt 1 title "median"
