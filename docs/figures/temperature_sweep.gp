# The weights of S3's five positions at every temperature.
eval canvas(380)
set xlabel "temperature"
eval y_title("attention weight")
set logscale x 2
set xrange [1:64]
set yrange [0:0.66]
set ytics 0.2
eval guide(4, "½√d")
eval guide(8, "√d = 8")
eval guide(16, "2√d")
set label "score 9.2" at 1.1, 0.62 left textcolor rgb blue
set label "score 8.8" at 1.1, 0.36 left textcolor rgb vermilion
set label "score 1.2" at 3.8, 0.1 right textcolor rgb green
set label "score −3.1" at 18, 0.09 left textcolor rgb mauve
set label "score −5.4" at 18, 0.035 left textcolor rgb gold
plot data using 1:2 with lines lw 2.5 lc rgb blue, \
  data using 1:4 with lines lw 2.5 lc rgb vermilion, \
  data using 1:6 with lines lw 2.5 lc rgb green, \
  data using 1:3 with lines lw 2.5 lc rgb mauve, \
  data using 1:5 with lines lw 2.5 lc rgb gold
