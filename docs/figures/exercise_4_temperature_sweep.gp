# Twelve queries and twelve keys at three temperatures: the area of a square is an attention weight.
set terminal svg size 720,340 dynamic font "Source Sans 3,Helvetica,sans-serif,14"
set output figure
set multiplot layout 1,3 margins 0.1,0.99,0.2,0.9 spacing 0.035
set xlabel "key"
set ylabel "query" offset 0.5, 0
set xrange [0.3:12.7]
set yrange [12.7:0.3]
set size ratio -1
set xtics 3
set ytics 3
set grid noxtics noytics
set border 15
set style fill solid noborder
do for [block = 0:2] {
  set title (block == 0 ? "½√d" : block == 1 ? "√d" : "2√d") offset 0,-0.5
  if (block > 0) { unset ylabel; set format y "" }
  plot data index block using 3:2:(0.5*sqrt($4)):(0.5*sqrt($4)) with boxxyerror lc 1 notitle
}
unset multiplot
