# Learning curves of five score rules at the smallest and at the largest head dimension: medians.
eval canvas(660)
set multiplot
set xrange [0:100]
set yrange [0:1.04]
set xtics 25
set ytics 0.25
set bmargin at screen 0.585
set tmargin at screen 0.935
eval y_title("share of right answers, d = 4")
set label 1 "by 4" at 20, 0.85 right textcolor rgb green
set label 5 "learned" at 15.5, 0.68 right textcolor rgb gold
set label 2 "additive" at 98, 0.72 right textcolor rgb mauve
set label 3 "unscaled" at 38, 0.67 left textcolor rgb vermilion
set label 4 "by 2" at 23.5, 0.5 left textcolor rgb blue
plot data every :::0::0 using 2:4 with lines lw 2.5 lc rgb vermilion, \
  data every :::0::0 using 2:16 with lines lw 2.5 lc rgb mauve, \
  data every :::0::0 using 2:10 with lines lw 2.5 lc rgb green, \
  data every :::0::0 using 2:13 with lines lw 2.5 lc rgb gold, \
  data every :::0::0 using 2:7 with lines lw 2.5 lc rgb blue
set bmargin at screen 0.11
set tmargin at screen 0.455
set xlabel "step"
eval y_title("share of right answers, d = 64")
set label 1 "by 8" at 13, 0.9 left textcolor rgb blue
set label 2 "additive" at 40, 0.9 left textcolor rgb mauve
set label 3 "unscaled" at 62, 0.66 left textcolor rgb vermilion
set label 4 "by 64" at 22.5, 0.6 right textcolor rgb green
set label 5 "learned scale" at 41, 0.42 left textcolor rgb gold
plot data every :::1::1 using 2:4 with lines lw 2.5 lc rgb vermilion, \
  data every :::1::1 using 2:16 with lines lw 2.5 lc rgb mauve, \
  data every :::1::1 using 2:10 with lines lw 2.5 lc rgb green, \
  data every :::1::1 using 2:13 with lines lw 2.5 lc rgb gold, \
  data every :::1::1 using 2:7 with lines lw 2.5 lc rgb blue
unset multiplot
