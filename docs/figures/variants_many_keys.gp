# The lead that a key needs to keep its weight among n keys, and the lead of the largest of n normal scores.
eval canvas(380)
set xlabel "number of keys n"
eval y_title("lead of one score over the others")
set logscale x
set mxtics 1
set format x "10^{%L}"
set xrange [10:1e6]
set yrange [0:15]
set ytics 0, 5
eval guide(exp(8), "{/:Italic d} = 2 ln {/:Italic n} = 16")
set label "8 = {/:Italic d}/2" at 3700,7.4 left textcolor rgb ink
set label "4 = √{/:Italic d}" at 2400,5 right textcolor rgb blue
set label "needed by a key" at 12,10.3 left textcolor rgb ink
set label "to keep its weight: ln {/:Italic n}" at 12,9 left textcolor rgb ink
set label "largest of {/:Italic n} standard" at 3700,2.6 left textcolor rgb blue
set label "normal scores: √(2 ln {/:Italic n})" at 3700,1.3 left textcolor rgb blue
plot data index 0 using 1:2 with lines lt 6, \
  data index 0 using 1:3 with lines lt 1, \
  data index 1 using 1:2 with points pt 7 ps 0.9 lc rgb ink, \
  data index 1 using 1:3 with points pt 7 ps 0.9 lc rgb blue
