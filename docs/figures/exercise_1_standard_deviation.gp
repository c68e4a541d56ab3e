# A score as a walk: forty of them, and one standard deviation to either side.
set xlabel "terms added"
set ylabel "sum of the terms so far"
set xrange [0:512]
set xtics 64
set yrange [-75:75]
set samples 400
set key top left
plot data using 1:2 with lines lw 0.7 lc rgb "#9db4c8" title "q_1k_1 + … + q_ik_i, forty times", \
  sqrt(x) with lines lt 2 title "± √i", \
  -sqrt(x) with lines lt 2 notitle
