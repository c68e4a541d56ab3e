# Scores for three head dimensions, counted: raw on the left, divided by the root on the right.
eval canvas(400)
set multiplot
unset ytics
set border 1
set grid noxtics noytics
set boxwidth 1 relative
top(row) = 0.925 - 0.28 * row
do for [row = 0:2] {
  d = row == 0 ? 4 : row == 1 ? 64 : 512
  do for [column = 0:1] {
    unset label
    unset arrow
    set tmargin at screen top(row)
    set bmargin at screen top(row) - 0.235
    set lmargin at screen column == 0 ? 0.03 : 0.56
    set rmargin at screen column == 0 ? 0.5 : 0.985
    deviation = column == 0 ? sqrt(d) : 1
    reach = column == 0 ? 64 : 4
    highest = column == 0 ? 0.37 : 0.075
    set xrange [-reach:reach]
    set yrange [0:highest]
    step = column == 0 ? 32 : 2
    set xtics step
    set format x (row == 2 ? "%h" : "")
    if (row == 0) { set label (column == 0 ? "score" : "score divided by √d") at screen (column == 0 ? 0.03 : 0.56),0.965 left textcolor rgb soft }
    set label sprintf("d = %d", d) at graph 0,0.9 left textcolor rgb ink
    set label (column == 0 ? sprintf("±√%d = %.3g", d, deviation) : "±1") at deviation,graph 0.62 offset 0.3,0 left textcolor rgb vermilion
    set arrow from -deviation,graph 0.62 to deviation,graph 0.62 heads size graph 0.012,30 filled lw 2 lc rgb vermilion front
    plot data index 2 * row + column using 1:2 with boxes lc rgb faint(blue, 0.55)
  }
}
unset multiplot
