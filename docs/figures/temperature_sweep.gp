# The weights of S3's five positions at every temperature.
set xlabel "temperature"
set ylabel "attention weight"
set logscale x 2
set xrange [1:64]
set yrange [0:0.62]
set key top right Right noreverse
set arrow from 4, graph 0 to 4, graph 1 nohead lw 1 dt 3 lc rgb "#777777"
set arrow from 8, graph 0 to 8, graph 1 nohead lw 1 dt 3 lc rgb "#777777"
set arrow from 16, graph 0 to 16, graph 1 nohead lw 1 dt 3 lc rgb "#777777"
set label "½√d" at 4, graph 0.97 offset 0.4, 0 textcolor rgb "#777777"
set label "√d" at 8, graph 0.97 offset 0.4, 0 textcolor rgb "#777777"
set label "2√d" at 16, graph 0.97 offset 0.4, 0 textcolor rgb "#777777"
plot data using 1:2 with lines lt 2 title "9.2", \
  data using 1:4 with lines lt 6 title "8.8", \
  data using 1:6 with lines lt 3 title "1.2", \
  data using 1:3 with lines lt 1 title "-3.1", \
  data using 1:5 with lines lt 4 title "-5.4"
