# The variance of a coordinate under Xavier initialization against the number of rows of the matrix.
set xlabel "rows of {/:Italic W} (512 columns)"
eval y_title("variance of a coordinate of {/:Italic W x}")
set logscale x 2
set xrange [32:4096]
set xtics 32,4,4096
set xtics add ("32" 32, "128" 128, "512" 512, "2048" 2048)
set yrange [0:2.1]
set ytics 0.5
set arrow from 32,1 to 4096,1 nohead lw 1 dt (4,4) lc rgb soft
set label "one head by itself: 64 × 512" at 76,1.84 left textcolor rgb vermilion
set label "all heads: 512 × 512" at 570,1.09 left textcolor rgb vermilion
set label "queries, keys and values" at 1400,0.3 right textcolor rgb vermilion
set label "in one: 1536 × 512" at 1400,0.11 right textcolor rgb vermilion
plot data index 0 using 1:2 with lines lt 1 lw 2.5, \
  data index 1 using 1:3 with points lt 2 pt 7 ps 1
