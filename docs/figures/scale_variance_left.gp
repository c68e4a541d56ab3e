# The variance that each divisor leaves to a score, against the head dimension.
eval canvas(380)
set xlabel "head dimension d"
eval y_title("variance left")
set logscale x 2
set logscale y
set xrange [1:4096 * 2**2.6]
set xtics 1,8,4096
set yrange [3e-6:3e4]
set mytics 1
set format y "10^{%T}"
set label "÷ 1" at 4600,4096 left textcolor rgb vermilion
set label "÷ ln {/:Italic d}" at 4600,190 left textcolor rgb green
set label "÷ 10" at 4600,13 left textcolor rgb vermilion
set label "÷ √{/:Italic d}" at 4600,1 left textcolor rgb blue
set label "÷ {/:Italic d}" at 4600,2.4e-4 left textcolor rgb mauve
set label "÷ {/:Italic d⁵}" at 3.7,3e-4 left textcolor rgb gold
set label "left of it, ÷ {/:Italic e}^{π{/:Italic d}}" at 5,1.1e-5 left textcolor rgb ink
plot data using 1:2 with lines lt 2, \
  data using 1:3 with lines lt 2 dt (8,5), \
  data using 1:4 with lines lt 3, \
  data using 1:6 with lines lt 4, \
  data using 1:7 with lines lt 5, \
  data using 1:8 with lines lt 6, \
  data using 1:5 with lines lt 1 lw 4
