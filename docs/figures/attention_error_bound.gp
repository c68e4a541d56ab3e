# The worst error of attention in single precision, raw and divided, and the bounds of both.
eval canvas(380)
set xlabel "head dimension d"
eval y_title("greatest error of an output")
set logscale x 2
set logscale y
set mytics 1
set format y "10^{%T}"
set xrange [4:1024]
set yrange [2e-8:6]
set label "bound, raw" at 90,0.012 right textcolor rgb vermilion
set label "bound, divided by √{/:Italic d}" at 40,2.2e-5 left textcolor rgb blue
set label "raw" at 8,2.6e-6 center textcolor rgb vermilion
set label "divided by √{/:Italic d}" at 40,7e-8 left textcolor rgb blue
plot data using 1:3 with lines lt 2 dt (8,5), \
  data using 1:5 with lines lt 1 dt (8,5), \
  data using 1:2 with linespoints lt 2 pt 7 ps 0.7, \
  data using 1:4 with linespoints lt 1 pt 7 ps 0.7
