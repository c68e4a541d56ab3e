# The first of four weights as its score grows, and how fast it grows.
set xlabel "raised score x, above three zeros"
eval y_title("weight, slope")
set xrange [0:10]
set yrange [0:1.2]
set ytics 0.25
eval guide(log(3), "50 %")
eval guide(log(27), "90 %")
eval guide(log(297), "99 %")
eval guide(log(2997), "99.9 %")
set label "weight of x" at 1.75, 0.5 left textcolor rgb blue
set label "its slope" at 2.45, 0.235 left textcolor rgb vermilion
plot data using 1:2 with lines lw 2.5 lc rgb blue, \
  data using 1:3 with lines lw 2.5 lc rgb vermilion
