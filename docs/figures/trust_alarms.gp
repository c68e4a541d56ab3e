# The rate of alarms of checks of a right distribution, against the rate that they state.
eval canvas(400)
set xlabel "rate of false alarms that is stated, α"
eval y_title("rate that was counted")
set logscale xy 2
set xrange [2**-10:0.5]
set yrange [2**-11:1.1]
set xtics ("1/1024" 1./1024, "1/128" 1./128, "1/16" 1./16, "1/2" 0.5)
set ytics ("1/1024" 1./1024, "1/128" 1./128, "1/16" 1./16, "1/2" 0.5)
set label "one factor √2 forgotten" at 2**-9.8,0.6 left textcolor rgb vermilion
set label "as stated" at 0.21,0.08 left textcolor rgb soft
set label "checks of a mean, of a variance" at 2**-6.2,2**-8.2 left textcolor rgb blue
set label "and of a distribution" at 2**-6.2,2**-9.1 left textcolor rgb blue
plot x with lines lw 1.2 dt (4,4) lc rgb soft, \
  data using 1:2 with lines lt 1 lw 1.4, \
  data using 1:3 with lines lt 1 lw 1.4, \
  data using 1:4 with lines lt 1 lw 1.4, \
  data using 1:5 with lines lt 2 lw 2.5
