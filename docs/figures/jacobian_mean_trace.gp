# The mean trace norm of the gradient with respect to the raw scores, for d = 64 and every temperature.
eval canvas(350)
set xlabel "temperature"
eval y_title("mean trace norm of the gradient with respect to the raw scores")
set logscale x 2
set logscale y
set xrange [1:16]
set yrange [0.02:0.6]
set ytics (0.02, 0.05, 0.1, 0.2, 0.5)
eval guide(8, "√d = 8")
set label "1: unscaled" at 1.03, 0.024 left textcolor rgb soft
set label "512 keys" at 1.6, 0.455 left textcolor rgb vermilion
set label "5 keys" at 1.6, 0.172 left textcolor rgb green
set label "2 keys" at 1.6, 0.055 left textcolor rgb blue
plot data using 1:4 with lines lw 2.5 lc rgb vermilion, \
  data using 1:3 with lines lw 2.5 lc rgb green, \
  data using 1:2 with lines lw 2.5 lc rgb blue
