# The settings of all figures. The build sets `data` and `figure` (what to read, what to write) and loads this file first.

set encoding utf8
set minussign

# ---- colours: a script names no others. Each has a contrast of 4.5 or more to white, so that it may colour words, too (haze
# has 3.3, rule is for what may be missed); the book gives each another value in the dark (docs/theme/figures.css).
blue      = "#0063a3"
vermilion = "#c04a00"
green     = "#00744f"
mauve     = "#a83a80"
gold      = "#554000"
ink       = "#1e2125"  # what is not one of several: a threshold, a distribution that all share
soft      = "#565d66"  # axes, guides, and words about them
rule      = "#dcd9d1"  # the grid
haze      = "#5f90b8"  # a crowd of thin lines, none of which is meant alone
paper     = "#ffffff"  # the background, where something must be hidden
# faint(blue, x): a colour of which the share x shows, from 0 to 1, for areas; alpha(blue, x): the same as a number, for
# `lc rgb variable`.
faint(colour, share) = sprintf("#%02x%s", int((1 - share) * 255 + 0.5), colour[2:7])
alpha(colour, share) = int("0x" . colour[2:7]) + 16777216 * int((1 - share) * 255 + 0.5)

set linetype 1 lw 2 lc rgb blue
set linetype 2 lw 2 lc rgb vermilion
set linetype 3 lw 2 lc rgb green
set linetype 4 lw 2 lc rgb mauve
set linetype 5 lw 2 lc rgb gold
set linetype 6 lw 2 lc rgb ink
set linetype cycle 6

# ---- size: 560 wide, so that 19 units of type are 12 px high on a phone of 360 px, where a drawing is 356 px wide (figures.css).
# `eval canvas(height)` chooses the height.
canvas(height) = sprintf("set terminal svg size 560,%d fixed enhanced font 'Source Sans 3,19'; set output figure", height)
eval canvas(360)

# ---- axes: two thin lines, a quiet grid, no frame. What is on the y axis stands above it, level, by `eval y_title("…")`.
set border 3 lw 1 lc rgb soft
set tics nomirror out scale 0.5,0.3 textcolor rgb soft
set xtics offset 0,0.35
set ytics offset 0.8,0
set grid lw 0.8 lt 1 lc rgb rule
set xlabel textcolor rgb soft offset 0,0.75
set tmargin 1.9
set bmargin 2.5
set lmargin 6
set rmargin 2
y_title(text) = "set label 1000 '" . text . "' at screen 0.01, graph 1 offset 0,0.9 left textcolor rgb soft"

# ---- words at the lines instead of a legend: set label "…" at x,y textcolor rgb blue. Guides by `eval guide(x, "…")`.
set key off
guide(x, text) = sprintf("set arrow from %.15g, graph 0 to %.15g, graph 1 nohead lw 1 dt (4,4) lc rgb soft; set label '%s' at %.15g, graph 1 offset 0.4,-0.6 left textcolor rgb soft", x, x, text, x)
set style fill solid noborder
set samples 400
