# The square of a score multiplied out: squares on the diagonal, cross terms beside it.
eval canvas(330)
set multiplot
set grid noxtics noytics
unset border
unset tics
set size ratio -1
set tmargin 0
set bmargin 0
set lmargin 0
set rmargin 0

set size 0.5,0.82
set origin 0,0.02
set xrange [0.42:3.58]
set yrange [3.58:0.42]
set title "d = 3: 9 terms" offset 0,-0.4 textcolor rgb ink
term(i, j) = i == j ? sprintf("{/:Italic q}_%d^2{/:Italic k}_%d^2", i, i) : \
  sprintf("{/:Italic q}_%d{/:Italic k}_%d{/:Italic q}_%d{/:Italic k}_%d", i, i, j, j)
plot data index 0 using 2:1:(0.48):(0.48) with boxxyerror lc rgb faint(blue, 0.1), \
  data index 0 using ($3 == 1 ? $2 : NaN):1:(0.48):(0.48) with boxxyerror lc rgb faint(blue, 0.35), \
  data index 0 using 2:1:(term(int($1), int($2))) with labels font ",15" textcolor rgb ink

set origin 0.5,0.02
set xrange [-1.8:66.8]
set yrange [66.8:-1.8]
set title "d = 64: 4,096 terms"
set object 1 rectangle from 0.5,0.5 to 64.5,64.5 fillcolor rgb faint(blue, 0.1) fillstyle solid noborder behind
do for [i = 1:63] {
  set arrow from i + 0.5,0.5 to i + 0.5,64.5 nohead lw 0.4 lc rgb paper
  set arrow from 0.5,i + 0.5 to 64.5,i + 0.5 nohead lw 0.4 lc rgb paper
}
plot data index 1 using ($3 == 1 ? $2 : NaN):1:(0.5):(0.5) with boxxyerror lc rgb blue
unset multiplot
