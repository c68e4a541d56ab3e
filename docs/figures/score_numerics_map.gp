# The strip 0 < Im t < pi, and its images in the variables zeta^2/2 and zeta, for r = 1/2.
eval canvas(560)
set multiplot
# The lines of the strip in the columns u and v: those between, the lower edge, the upper edge, and its critical point.
part(records, u, v, style) = sprintf("data every :::%s using %d:%s with %s", records, u, v, style)
between(u, v) = part("2::27", u, v, "lines lw 1 lc rgb haze")
lower(u, v) = part("0::0", u, v, "lines lw 3 lc rgb blue")
upper(u, v) = part("1::1", u, v, "lines lw 3 lc rgb vermilion") . ", " . part("28::28", u, v, "points pt 7 ps 0.8 lc rgb vermilion")
strip(u, v) = between(u, v) . ", " . lower(u, v) . ", " . upper(u, v)
unset grid
unset border
unset tics
set size ratio -1
set lmargin at screen 0.02
set rmargin at screen 0.98
set tmargin at screen 0.93
set bmargin at screen 0.62
set xrange [-6.05:6.05]
set yrange [-0.7:3.6]
set label 1 "{/:Italic t}: a strip of height π" at screen 0.02,0.965 left textcolor rgb soft
set label 2 "0" at 0,-0.45 center textcolor rgb ink
set label 3 "real line" at 6,-0.45 right textcolor rgb blue
set label 4 "Im {/:Italic t} = π" at 6,3.5 right textcolor rgb vermilion
eval "plot " . strip(1, "2")
unset label

set tmargin at screen 0.54
set bmargin at screen 0.01
set rmargin at screen 0.48
set xrange [-6:6]
set yrange [-6.5:6.5]
set label 1 "½{/:Italic ζ}²: all but two rays" at screen 0.02,0.58 left textcolor rgb soft
set label 2 "0" at -0.2,0.6 right textcolor rgb ink
set label 3 "½{/:Italic ζ}_0²" at -1.1,-2.2 left textcolor rgb vermilion
eval "plot " . strip(3, "4")
unset label

set lmargin at screen 0.52
set rmargin at screen 0.98
set xrange [-4:4]
set yrange [-3.2:5.47]
set label 1 "{/:Italic ζ}: all but two slits" at screen 0.52,0.58 left textcolor rgb soft
set label 2 "0" at 0,-0.4 center textcolor rgb ink
set label 3 "{/:Italic ζ}_0" at -1.9,2.1 left textcolor rgb vermilion
set label 4 "|{/:Italic ζ}| < 2" at 0.1,-1.1 left textcolor rgb green
eval "plot sample [-2:2] '+' using 1:(sqrt(4 - $1 * $1)):(-sqrt(4 - $1 * $1)) with filledcurves lc rgb faint(green, 0.15), " \
  . strip(5, "6") . ", " . upper(5, "(-$6)")
unset multiplot
