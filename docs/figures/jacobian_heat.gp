# The Jacobian of softmax as squares: the area is the size of a derivative, the colour its sign.
eval canvas(370)
set multiplot
set border 0
set grid noxtics noytics
set size ratio -1
set xrange [0.5:5.5]
set yrange [5.5:0.5]
set tics scale 0
set xtics ("9.2" 1, "−3.1" 2, "8.8" 3, "−5.4" 4, "1.2" 5)
set ytics ("9.2" 1, "−3.1" 2, "8.8" 3, "−5.4" 4, "1.2" 5) offset 0.6,0
set tmargin at screen 0.83
set bmargin at screen 0.19
set xlabel "if this score rises"
set label 1 "the weight of" at screen 0.01,0.865 left textcolor rgb soft
set label 2 "the weight rises" at screen 0.1,0.955 left textcolor rgb blue
set label 3 "the weight falls" at screen 0.56,0.955 left textcolor rgb vermilion
do for [row = 0:1] {
  set lmargin at screen row == 0 ? 0.1 : 0.56
  set rmargin at screen row == 0 ? 0.52 : 0.98
  if (row == 1) { set format y ""; unset ytics; unset label 1; unset label 2; unset label 3 }
  set label 4 (row == 0 ? "raw" : "divided by 8") at graph 0.5,1.055 center textcolor rgb ink
  plot data index row using 2:1:(0.485):(0.485) with boxxyerror lc rgb faint(soft, 0.1), \
    data index row using 2:1:(0.96 * sqrt(abs($3))):(0.96 * sqrt(abs($3))):($3 > 0 ? alpha(blue, 1) : alpha(vermilion, 1)) with boxxyerror lc rgb variable
}
unset multiplot
