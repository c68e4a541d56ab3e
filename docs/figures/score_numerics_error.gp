# The relative error of tails of the distribution of a score, in epsilons of double precision.
set xlabel "tail probability"
eval y_title("relative error, in epsilons of double precision")
set xrange [0:330]
set xtics ("10^{−1}" 1, "10^{−100}" 100, "10^{−200}" 200, "10^{−300}" 300)
set yrange [0:3.4]
set ytics 1
set arrow from 0,3 to 300,3 nohead lw 2 lc rgb ink
set label "constant of the library: 3" at 298,3.2 right textcolor rgb ink
set label "d = 1" at 10,1.2 left textcolor rgb vermilion
set label "d = 64" at 60,1.2 left textcolor rgb blue
set label "d = 10⁶" at 120,1.2 left textcolor rgb green
plot data index 0 using 1:2 with points lt 2 pt 7 ps 0.4, \
  data index 1 using 1:2 with points lt 1 pt 7 ps 0.4, \
  data index 2 using 1:2 with points lt 3 pt 7 ps 0.4
