# How many positions are attended to, with and without scaling.
set xlabel "head dimension d"
set ylabel "positions attended to"
set logscale x 2
set logscale y
set xrange [1:256]
set yrange [1:5000]
set key at graph 0.98, 0.66 right top Right noreverse
plot data using 1:7 with lines lt 3 dt 2 title "4096 keys, divided by √d", \
  data using 1:6 with lines lt 3 title "unscaled", \
  data using 1:5 with lines lt 1 dt 2 title "512 keys, divided by √d", \
  data using 1:4 with lines lt 1 title "unscaled", \
  data using 1:3 with lines lt 2 dt 2 title "5 keys, divided by √d", \
  data using 1:2 with lines lt 2 title "unscaled"
