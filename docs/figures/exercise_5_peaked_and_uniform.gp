# The spectral norm of the derivative of softmax against the number of keys.
set xlabel "number of keys"
eval y_title("spectral norm of the derivative")
set logscale xy
set xrange [2:512]
set yrange [0.0015:1]
set format y "%g"
eval guide(10, "10 keys")
eval guide(100, "100 keys")
set label "one key has 0.9" at 500, 0.125 right textcolor rgb vermilion
set label "one key has 0.99" at 2.15, 0.0072 left textcolor rgb green
set label "all keys alike" at 2.6, 0.5 left textcolor rgb blue
plot data using 1:3 with lines lt 2, \
  data using 1:4 with lines lt 3, \
  data using 1:2 with lines lt 1
