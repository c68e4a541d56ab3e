# The density of a score in units of its deviation, for three head dimensions, against the normal density.
set xlabel "score / √d"
set ylabel "density × √d"
set xrange [-4:4]
set yrange [0:1.2]
plot data using 1:2 with lines lt 2 title "d = 1", \
  data using 1:3 with lines lt 6 title "d = 2", \
  data using 1:4 with lines lt 1 title "d = 64", \
  data using 1:5 with lines lt 3 dt 2 title "normal"
