# The learning rates that suit a head of 16, 64 or 256 dimensions: descent and Adam, divided by the root and by d.
eval canvas(620)
set multiplot
set logscale x 2
set yrange [0:1.02]
set ytics 0.5
set bmargin at screen 0.58
set tmargin at screen 0.87
set xrange [2**-3.3:2**7.3]
set xtics ("⅛" 0.125, "1" 1, "8" 8, "64" 64)
set lmargin at screen 0.08
set rmargin at screen 0.47
set label 1000 "mean share of right answers" at screen 0.01, 0.965 left textcolor rgb soft
set label 1 "descent, by √d" at graph 0.02, 1.1 left textcolor rgb ink
plot data every :::0::0 using 1:2 with linespoints lt 1 pt 7 ps 0.5, \
  data every :::0::0 using 1:3 with linespoints lt 3 pt 9 ps 0.6, \
  data every :::0::0 using 1:4 with linespoints lt 2 pt 5 ps 0.5
set lmargin at screen 0.57
set rmargin at screen 0.96
unset label 1000
set label 1 "descent, by d" at graph 0.02, 1.1 left textcolor rgb ink
plot data every :::1::1 using 1:2 with linespoints lt 1 pt 7 ps 0.5, \
  data every :::1::1 using 1:3 with linespoints lt 3 pt 9 ps 0.6, \
  data every :::1::1 using 1:4 with linespoints lt 2 pt 5 ps 0.5
set bmargin at screen 0.12
set tmargin at screen 0.41
set xrange [2**-10.3:2**0.3]
set xtics ("2^{−9}" 2**-9, "2^{−6}" 2**-6, "2^{−3}" 2**-3, "1" 1)
set xlabel "learning rate"
set lmargin at screen 0.08
set rmargin at screen 0.47
set label 1 "Adam, by √d" at graph 0.02, 1.1 left textcolor rgb ink
plot data every :::2::2 using 1:2 with linespoints lt 1 pt 7 ps 0.5, \
  data every :::2::2 using 1:3 with linespoints lt 3 pt 9 ps 0.6, \
  data every :::2::2 using 1:4 with linespoints lt 2 pt 5 ps 0.5
set lmargin at screen 0.57
set rmargin at screen 0.96
set label 2 "d = 16" at 2**-6.5, 0.46 left textcolor rgb blue
set label 3 "d = 64" at 2**-6.5, 0.32 left textcolor rgb green
set label 4 "d = 256" at 2**-6.5, 0.18 left textcolor rgb vermilion
set label 1 "Adam, by d" at graph 0.02, 1.1 left textcolor rgb ink
plot data every :::3::3 using 1:2 with linespoints lt 1 pt 7 ps 0.5, \
  data every :::3::3 using 1:3 with linespoints lt 3 pt 9 ps 0.6, \
  data every :::3::3 using 1:4 with linespoints lt 2 pt 5 ps 0.5
unset multiplot
