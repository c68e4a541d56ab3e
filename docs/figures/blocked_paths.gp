# The gradient that comes back along the four paths of a layer, raw and divided, against the head dimension.
eval canvas(380)
set multiplot
set logscale x 2
set logscale y
set mytics 1
set xrange [1:1024]
set xtics ("1" 1, "8" 8, "64" 64, "512" 512)
set yrange [1e-6:4]
set xlabel "head dimension d"
set tmargin at screen 0.83
set bmargin at screen 0.2
do for [panel = 0:1] {
  unset label
  set lmargin at screen panel == 0 ? 0.095 : 0.565
  set rmargin at screen panel == 0 ? 0.525 : 0.99
  if (panel == 0) { set format y "10^{%T}" } else { set format y "" }
  if (panel == 0) { set label "median norm of the gradient that comes back" at screen 0.01,0.955 left textcolor rgb soft }
  set label (panel == 0 ? "raw" : "divided by √{/:Italic d}") at graph 0.5,1.06 center textcolor rgb ink
  if (panel == 0) { set label "residual" at 1.4,2.1 left textcolor rgb ink; set label "values" at 90,0.45 left textcolor rgb blue }
  set label "queries, keys" at (panel == 0 ? 1.4 : 16),(panel == 0 ? 0.03 : 0.1) left textcolor rgb vermilion
  plot data index panel using 1:2 with lines lt 6, \
    data index panel using 1:3 with lines lt 1, \
    data index panel using 1:4 with lines lt 2, \
    data index panel using 1:5 with lines lt 2 dt (3,4)
}
unset multiplot
