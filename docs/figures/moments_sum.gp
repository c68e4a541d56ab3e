# Variances add: three distributions with their deviations, and the squares on the sides of a right-angled triangle.
eval canvas(400)
set multiplot
unset ytics
set border 1
set grid noxtics noytics
colour(row) = row == 0 ? green : row == 1 ? blue : vermilion
do for [row = 0:2] {
  unset label
  unset arrow
  set tmargin at screen 0.95 - 0.305 * row
  set bmargin at screen 0.95 - 0.305 * row - 0.19
  set lmargin at screen 0.02
  set rmargin at screen 0.44
  set xrange [-15.5:15.5]
  set yrange [0:0.27]
  if (row == 2) { set xtics nomirror out 5 } else { unset xtics }
  deviation = row == 0 ? 3 : row == 1 ? 4 : 5
  set label sprintf("%s %d signs", row == 2 ? "all" : "sum of", deviation**2) at graph 0,1.07 left textcolor rgb colour(row)
  set label sprintf("±%d", deviation) at deviation,graph 0.78 offset 0.5,0 left textcolor rgb ink
  set arrow from -deviation,graph 0.78 to deviation,graph 0.78 heads size graph 0.02,30 filled lw 2 lc rgb ink front
  plot data index row using 1:2:(1.5) with boxes lc rgb colour(row)
}
unset label
unset arrow
set tmargin at screen 0.99
set bmargin at screen 0.01
set lmargin at screen 0.47
set rmargin at screen 0.995
set size ratio -1
set xrange [-3.2:7.2]
set yrange [-4.2:7.2]
unset border
unset tics
# The squares on the sides, in cells of one unit, and the triangle between them.
set object 1 polygon from 0,0 to -3,0 to -3,3 to 0,3 to 0,0 fillcolor rgb faint(green, 0.3) fillstyle solid noborder
set object 2 polygon from 0,0 to 4,0 to 4,-4 to 0,-4 to 0,0 fillcolor rgb faint(blue, 0.3) fillstyle solid noborder
set object 3 polygon from 4,0 to 7,4 to 3,7 to 0,3 to 4,0 fillcolor rgb faint(vermilion, 0.3) fillstyle solid noborder
do for [i = 1:2] { set arrow from -i,0 to -i,3 nohead lw 1 lc rgb paper; set arrow from -3,i to 0,i nohead lw 1 lc rgb paper }
do for [i = 1:3] { set arrow from i,0 to i,-4 nohead lw 1 lc rgb paper; set arrow from 0,-i to 4,-i nohead lw 1 lc rgb paper }
do for [i = 1:4] {
  set arrow from 4 - 0.8*i,0.6*i to 7 - 0.8*i,4 + 0.6*i nohead lw 1 lc rgb paper
  set arrow from 4 + 0.6*i,0.8*i to 0.6*i,3 + 0.8*i nohead lw 1 lc rgb paper
}
set arrow from 0,0 to 4,0 nohead lw 3 lc rgb blue
set arrow from 0,0 to 0,3 nohead lw 3 lc rgb green
set arrow from 4,0 to 0,3 nohead lw 3 lc rgb vermilion
set label "variance 9" at -1.5,1.5 center textcolor rgb ink
set label "variance 16" at 2,-2 center textcolor rgb ink
set label "variance 25" at 3.5,3.5 center textcolor rgb ink
set label "3" at 0.25,1.1 left textcolor rgb ink
set label "4" at 1.3,0.4 center textcolor rgb ink
set label "5" at 1.95,1.1 center textcolor rgb ink
plot NaN
unset multiplot
