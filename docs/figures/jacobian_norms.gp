# The size of the derivative of softmax by its own input, in two norms, against the number of keys, for d = 64.
eval canvas(410)
set xlabel "number of keys"
eval y_title("mean size of the derivative")
set logscale x 2
set logscale y
set xrange [2:4096]
set yrange [0.02:1.25]
set xtics (2, 8, 32, 128, 512, 2048)
set ytics (0.02, 0.05, 0.1, 0.2, 0.5, 1)
set label "trace norm, divided by 8" at 3800, 0.8 right textcolor rgb blue
set label "trace norm, unscaled" at 3800, 0.55 right textcolor rgb vermilion
set label "Frobenius norm, unscaled" at 3800, 0.21 right textcolor rgb vermilion
set label "Frobenius norm, divided by 8" at 350, 0.05 right textcolor rgb blue
plot data using 1:3 with lines lw 2.5 lc rgb blue, \
  data using 1:2 with lines lw 2.5 lc rgb vermilion, \
  data using 1:5 with lines lw 2.5 dt (6,4) lc rgb blue, \
  data using 1:4 with lines lw 2.5 dt (6,4) lc rgb vermilion
