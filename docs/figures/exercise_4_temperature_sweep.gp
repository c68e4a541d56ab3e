# Twelve queries and twelve keys at three temperatures: the area of a square is an attention weight.
eval canvas(260)
unset grid
set border 15
set xrange [0.3:12.7]
set yrange [12.7:0.3]
unset xtics
unset ytics
set size ratio -1
set multiplot layout 1,3 margins screen 0.06, screen 0.99, screen 0.14, screen 0.86 spacing screen 0.03
set xlabel "keys" offset 0,0.4
do for [block = 0:2] {
  set label 1 (block == 0 ? "½√d" : block == 1 ? "√d" : "2√d") at graph 0.5, graph 1.08 center textcolor rgb ink
  if (block == 0) { set label 2 "queries" at graph -0.07, graph 0.5 center rotate by 90 textcolor rgb soft } else { unset label 2 }
  plot data index block using 3:2:(0.5*sqrt($4)):(0.5*sqrt($4)) with boxxyerror lc rgb blue
}
unset multiplot
