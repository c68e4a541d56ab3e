# Rows of three attention weights as points of a triangle, whose corners are the keys.
eval canvas(520)
set multiplot
unset border
unset tics
set grid noxtics noytics
set size ratio -1
set xrange [-0.08:1.08]
set yrange [-0.1:0.99]
height = sqrt(3) / 2
set object 1 polygon from 0,0 to 1,0 to 0.5,height to 0,0 fillstyle empty border lc rgb soft lw 1
do for [panel = 0:3] {
  unset label
  set lmargin at screen (panel % 2 == 0 ? 0.01 : 0.51)
  set rmargin at screen (panel % 2 == 0 ? 0.49 : 0.99)
  set tmargin at screen (panel < 2 ? 0.99 : 0.48)
  set bmargin at screen (panel < 2 ? 0.52 : 0.01)
  set label (panel == 0 ? "d = 1" : panel == 1 ? "d = 4" : "d = 64") at -0.08,0.9 left textcolor rgb ink
  set label (panel == 3 ? "divided by 8" : panel == 0 ? "raw = divided" : "raw") at -0.08,0.79 left textcolor rgb (panel == 3 ? blue : panel == 0 ? soft : vermilion)
  if (panel == 0) {
    set label "all on key 1" at 0,-0.06 left textcolor rgb soft
    set label "key 2" at 1,-0.06 right textcolor rgb soft
    set label "key 3" at 0.5,height + 0.06 center textcolor rgb soft
  }
  # A point is a short line, which takes a fifth of the room of a circle.
  plot data index panel using ($2 + $3 / 2 - 0.004):(height * $3):(0.008):(0) with vectors nohead lw 2.2 lc rgb (panel == 3 ? blue : panel == 0 ? ink : vermilion)
}
unset multiplot
