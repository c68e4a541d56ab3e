# The Kolmogorov distance between the law of a score and the normal law of the same variance.
set xlabel "head dimension d"
set ylabel "Kolmogorov distance"
set logscale xy
set format y "10^{%L}"
set xrange [0.5:4096]
set yrange [1e-5:1]
set key bottom left
plot data using 1:2 with lines lt 1 title "distance to N(0, d)", \
  data using 1:3 with lines lt 2 dt 2 title "c / d"
