# The change of a score by the first step, relative to d = 4, by descent and by signs, divided by √d and by d.
eval canvas(400)
set xlabel "head dimension d"
eval y_title("change of a score by the first step, 1 at {/:Italic d} = 4")
set logscale x 4
set logscale y 4
set mxtics 1
set mytics 1
set lmargin 7
set xrange [3.2:1280]
set yrange [1.0/400:28]
set xtics (4, 16, 64, 256, 1024)
set ytics ("1/256" 1.0/256, "1/64" 1.0/64, "1/16" 1.0/16, "¼" 0.25, "1" 1, "4" 4, "16" 16)
set label "signs, ÷ √{/:Italic d}" at 90,12 right textcolor rgb blue
set label "descent, ÷ √{/:Italic d}" at 1000,2 right textcolor rgb blue
set label "signs, ÷ {/:Italic d}" at 1000,0.5 right textcolor rgb mauve
set label "descent, ÷ {/:Italic d}" at 50,0.025 right textcolor rgb mauve
# Two of the lines are one: there blue and mauve alternate, and a triangle is in each ring.
plot data using 1:2 with linespoints lt 1 lw 3 pt 7 ps 1.3, \
  data using 1:2 with points pt 7 ps 1 lc rgb paper, \
  data using 1:5 with lines lt 4 lw 3 dt (8,8), \
  data using 1:2 with points pt 7 ps 1 lc rgb paper, \
  data using 1:5 with points pt 9 ps 0.7 lc rgb mauve, \
  data using 1:3 with linespoints lt 4 pt 7 ps 1.3, \
  data using 1:3 with points pt 7 ps 1 lc rgb paper, \
  data using 1:4 with linespoints lt 1 dt (8,8) pt 9 ps 0.7
