# The number of positions that are attended to, with and without scaling.
eval canvas(400)
set xlabel "head dimension d"
eval y_title("positions attended to")
set logscale x 2
set logscale y
set xrange [1:256]
set yrange [1:6000]
set xtics (1, 4, 16, 64, 256)
set label "4096 keys, divided by √d" at 250, 3700 right textcolor rgb blue
set label "512 keys, divided by √d" at 250, 460 right textcolor rgb blue
set label "5 keys, divided by √d" at 1.06, 5.2 left textcolor rgb blue
set label "4096 keys, raw" at 8.8, 150 left textcolor rgb vermilion
set label "512 keys, raw" at 5.8, 26 right textcolor rgb vermilion
set label "5 keys, raw" at 4, 1.55 right textcolor rgb vermilion
plot data using 1:7 with lines lw 2.5 lc rgb blue, data using 1:5 with lines lw 2.5 lc rgb blue, \
  data using 1:3 with lines lw 2.5 lc rgb blue, \
  data using 1:6 with lines lw 2.5 lc rgb vermilion, data using 1:4 with lines lw 2.5 lc rgb vermilion, \
  data using 1:2 with lines lw 2.5 lc rgb vermilion
