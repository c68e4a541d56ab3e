# softmax([x, 0, …, 0]) among 4 and among 512 keys, and how fast the first of them grows.
set xlabel "raised score x, above zeros"
eval y_title("weight of x, slope")
set xrange [0:10]
set yrange [0:1.2]
set ytics 0.25
eval guide(log(3), "ln 3")
eval guide(log(297), "ln 297")
set label "among 4 keys" at 1.95, 0.63 left textcolor rgb blue
set label "among 512 keys" at 6.6, 0.45 left textcolor rgb green
set label "slope, 4 keys" at 2.3, 0.25 left textcolor rgb vermilion
plot data using 1:2 with lines lw 2.5 lc rgb blue, \
  data using 1:5 with lines lw 2.5 lc rgb green, \
  data using 1:4 with lines lw 2.5 lc rgb vermilion
