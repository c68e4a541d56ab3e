# The Jacobian of softmax as squares: the area is the size of a derivative, the colour its sign.
eval canvas(330)
set multiplot
set border 0
set grid noxtics noytics
set size ratio -1
set xrange [0.5:5.5]
set yrange [5.5:0.5]
set tics scale 0
scores = "9.2 −3.1 8.8 −5.4 1.2"
set xtics ("9.2" 1, "−3.1" 2, "8.8" 3, "−5.4" 4, "1.2" 5)
set ytics ("9.2" 1, "−3.1" 2, "8.8" 3, "−5.4" 4, "1.2" 5)
set tmargin at screen 0.9
set bmargin at screen 0.17
set xlabel "score that moves"
do for [row = 0:1] {
  set lmargin at screen row == 0 ? 0.1 : 0.56
  set rmargin at screen row == 0 ? 0.53 : 0.99
  if (row == 1) { unset ylabel }
  set title (row == 0 ? "raw" : "divided by 8") textcolor rgb ink offset 0,-0.5
  plot data index row using 2:1:(0.485):(0.485) with boxxyerror lc rgb faint(soft, 0.1), \
    data index row using 2:1:(0.96 * sqrt(abs($3))):(0.96 * sqrt(abs($3))):($3 > 0 ? 0x0063a3 : 0xc04a00) with boxxyerror lc rgb variable
}
unset multiplot
