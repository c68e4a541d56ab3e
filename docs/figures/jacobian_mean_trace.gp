# The mean trace norm of the gradient by the raw scores, for d = 64 and every temperature.
set xlabel "temperature (1: unscaled, 8: divided by √d)"
set ylabel "mean trace norm of the gradient"
set logscale x 2
set logscale y
set xrange [1:16]
set yrange [0.01:0.6]
set key top right Right noreverse
set arrow from 8, graph 0 to 8, graph 1 nohead lw 1 dt 3 lc rgb "#777777"
plot data using 1:4 with lines lt 2 title "512 keys", \
  data using 1:3 with lines lt 3 title "5 keys", \
  data using 1:2 with lines lt 1 title "2 keys"
