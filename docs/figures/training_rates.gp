# The learning rates that suit each score rule, at the largest head dimension.
eval canvas(380)
set xlabel "learning rate"
eval y_title("mean share of right answers")
set logscale x 2
set xtics ("¼" 0.25, "½" 0.5, "1" 1, "2" 2)
set xrange [2**-2.3:2**1.3]
set yrange [0:1.02]
set ytics 0.25
set label "divided by 8" at 0.9, 0.93 right textcolor rgb blue
set label "unscaled" at 1.25, 0.48 left textcolor rgb vermilion
set label "additive" at 0.57, 0.6 left textcolor rgb mauve
plot data using 1:4 with linespoints lt 4 pt 9 ps 0.6, \
  data using 1:2 with linespoints lt 2 pt 5 ps 0.5, \
  data using 1:3 with linespoints lt 1 pt 7 ps 0.6
