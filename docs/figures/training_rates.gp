# Which learning rate suits which score rule, at the largest head dimension.
set xlabel "learning rate"
set ylabel "mean share of right answers"
set logscale x 2
set format x "2^{%L}"
set xrange [2**-5.3:2**2.3]
set yrange [0:1]
plot data using 1:3 with linespoints lt 1 pt 7 ps 0.6 title "divided by √d", \
  data using 1:2 with linespoints lt 2 pt 5 ps 0.6 title "unscaled", \
  data using 1:6 with linespoints lt 3 pt 9 ps 0.7 title "additive", \
  data using 1:4 with linespoints lt 4 pt 11 ps 0.7 title "divided by d", \
  data using 1:5 with linespoints lt 6 pt 13 ps 0.8 title "learned scale"
