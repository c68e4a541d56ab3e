# How large the derivative of softmax is by its own input, in two norms, against the number of keys, for d = 64.
set xlabel "number of keys n"
set ylabel "mean size of the derivative"
set logscale x 2
set logscale y
set xrange [2:4096]
set yrange [0.02:1.2]
set key bottom left
plot data using 1:3 with lines lt 1 title "trace norm, divided by 8", \
  data using 1:2 with lines lt 2 title "trace norm, unscaled", \
  data using 1:5 with lines lt 1 dt 2 title "Frobenius norm, root mean square, divided by 8", \
  data using 1:4 with lines lt 2 dt 2 title "Frobenius norm, root mean square, unscaled"
