# The square of a score multiplied out: squares on the diagonal, cross terms beside it.
eval canvas(325)
set multiplot
set grid noxtics noytics
unset border
unset tics
set size ratio -1
set bmargin at screen 0.01
set tmargin at screen 0.83
set label "squares: mean 1" at screen 0.035,0.955 left textcolor rgb blue
set label "cross terms: mean 0" at screen 0.535,0.955 left textcolor rgb soft

set lmargin at screen 0.03
set rmargin at screen 0.48
set xrange [0.5:3.5]
set yrange [3.5:0.5]
set label 3 "d = 3: 3 of 9 terms" at graph 0,1.05 left textcolor rgb ink
term(i, j) = i == j ? sprintf("({/:Italic q}_%d{/:Italic k}_%d)^2", i, i) : \
  sprintf("{/:Italic q}_%d{/:Italic k}_%d{/:Italic q}_%d{/:Italic k}_%d", i, i, j, j)
plot data index 0 using 2:1:(0.48):(0.48) with boxxyerror lc rgb faint(soft, 0.12), \
  data index 0 using ($3 == 1 ? $2 : NaN):1:(0.48):(0.48) with boxxyerror lc rgb faint(blue, 0.4), \
  data index 0 using 2:1:(term(int($1), int($2))) with labels textcolor rgb ink

unset label
set lmargin at screen 0.53
set rmargin at screen 0.98
set xrange [0.5:64.5]
set yrange [64.5:0.5]
set label 3 "d = 64: 64 of 4,096 terms" at graph 0,1.05 left textcolor rgb ink
set object 1 rectangle from 0.5,0.5 to 64.5,64.5 fillcolor rgb faint(soft, 0.12) fillstyle solid noborder behind
do for [i = 1:63] {
  set arrow from i + 0.5,0.5 to i + 0.5,64.5 nohead lw 0.4 lc rgb paper
  set arrow from 0.5,i + 0.5 to 64.5,i + 0.5 nohead lw 0.4 lc rgb paper
}
plot data index 1 using ($3 == 1 ? $2 : NaN):1:(0.5):(0.5) with boxxyerror lc rgb blue
unset multiplot
