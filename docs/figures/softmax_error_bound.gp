# The error of each of 512 weights in single precision, in unit roundoffs, and its bound.
set xlabel "how far the score lies below the greatest"
eval y_title("relative error of the weight, in unit roundoffs u")
set xrange [0:43]
set yrange [0:75]
set label "bound" at 20,46 right textcolor rgb vermilion
set label "each dot a weight" at 17,27 left textcolor rgb blue
plot data using 1:3 with lines lt 2 lw 2.5, \
  data using 1:2 with points lt 1 pt 7 ps 0.35
