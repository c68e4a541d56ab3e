# How large the gradient is for two keys: mean and median, with and without scaling.
set xlabel "head dimension d"
set ylabel "norm of the gradient by the raw scores"
set logscale xy
set format y "10^{%L}"
set xrange [1:1024]
set yrange [1e-8:1]
set key bottom left
plot data using 1:2 with lines lt 2 title "unscaled, mean", \
  data using 1:3 with lines lt 2 dt 2 title "unscaled, median", \
  data using 1:4 with lines lt 1 title "divided by √d, mean", \
  data using 1:5 with lines lt 1 dt 2 title "divided by √d, median"
