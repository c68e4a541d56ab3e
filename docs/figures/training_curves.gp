# Learning curves of five score rules at the smallest and at the largest head dimension.
set multiplot layout 1,2 margins 0.09,0.97,0.15,0.92 spacing 0.05
set xlabel "step"
set yrange [0:1.02]
set xtics 25
set style fill transparent solid 0.18 noborder
set ylabel "share of right answers"
set key right bottom Left reverse samplen 1.5 spacing 0.95 width -7 font ",12"
do for [block = 0:1] {
  set title (block == 0 ? "d = 4" : "d = 64") offset 0,-0.6
  if (block == 1) { unset ylabel; set format y ""; unset key }
  plot data every :::block::block using 2:6:8 with filledcurves lc 1 notitle, \
    data every :::block::block using 2:3:5 with filledcurves lc 2 notitle, \
    data every :::block::block using 2:15:17 with filledcurves lc 3 notitle, \
    data every :::block::block using 2:7 with lines lt 1 title "divided by √d", \
    data every :::block::block using 2:4 with lines lt 2 title "unscaled", \
    data every :::block::block using 2:16 with lines lt 3 title "additive", \
    data every :::block::block using 2:10 with lines lt 4 title "divided by d", \
    data every :::block::block using 2:13 with lines lt 6 title "learned scale", \
    data every :::block::block using 2:19 with lines lt 2 dt 2 title "unscaled, rate of √d"
}
unset multiplot
