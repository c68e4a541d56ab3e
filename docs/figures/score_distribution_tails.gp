# How many times more likely a score far out is than under the normal law of the same variance.
set xlabel "deviations from the mean"
set ylabel "tail probability / normal tail probability"
set logscale y
set format y "10^{%L}"
set xrange [0:10]
set yrange [0.5:1e12]
plot data using 1:2 with lines lt 2 title "d = 4", \
  data using 1:3 with lines lt 1 title "d = 64", \
  data using 1:4 with lines lt 3 title "d = 1024"
