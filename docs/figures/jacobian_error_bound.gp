# The error of a difference quotient against its step, beside that of the formula, and the bounds of both.
eval canvas(400)
set xlabel "step of the difference"
eval y_title("greatest error of an entry of the Jacobian")
set logscale xy
set mxtics 1
set mytics 1
set format "10^{%T}"
set xrange [1e-12:2]
set xtics 1e-12,1000,1
set yrange [1e-18:50]
set ytics 1e-18,1000,1
set label "difference" at 1.6e-12,6e-10 left textcolor rgb blue
set label "its bound" at 1e-8,2e-5 left textcolor rgb vermilion
set label "too short: rounding" at 2e-12,5e-2 left textcolor rgb soft
set label "too long: curvature" at 1.4,3e-1 right textcolor rgb soft
set label "bound of the formula" at 2e-12,2.5e-15 left textcolor rgb vermilion
set label "error of the formula" at 2e-12,5e-17 left textcolor rgb green
plot data using 1:3 with lines lt 2, \
  data using 1:5 with lines lt 2, \
  data using 1:2 with linespoints lt 1 lw 1.2 pt 7 ps 0.5, \
  data using 1:4 with lines lt 3 lw 2.5
