# What spread weights cost: the variance of an output, and how alike two outputs are.
set xlabel "number of keys n"
set ylabel "variance, correlation"
set logscale x 10
set logscale y 10
set format x "10^{%L}"
set format y "10^{%L}"
set xrange [2:1.1e6]
set yrange [5e-7:1.5]
set key at graph 0.02, 0.42 left top Left reverse
plot data using 1:2 with lines lt 1 title "variance of an output, raw scores", \
  data using 1:3 with lines lt 1 dt 2 title "divided by √d", \
  data using 1:4 with lines lt 2 title "correlation of two outputs, raw scores", \
  data using 1:5 with lines lt 2 dt 2 title "divided by √d"
