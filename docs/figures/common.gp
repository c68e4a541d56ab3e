# What all figures share: an SVG without background, one family of colours that can be told apart in print and by the
# colour-blind (Okabe and Ito), thin axes.
set terminal svg size 720,440 dynamic font "Source Sans 3,Helvetica,sans-serif,14"
set output figure
set border 3 lw 0.8 lc rgb "#555555"
set tics nomirror out scale 0.6 textcolor rgb "#333333"
set grid lw 0.4 lc rgb "#cccccc"
set key left top Left reverse samplen 2 spacing 1.1
set linetype 1 lw 2 lc rgb "#0072B2"
set linetype 2 lw 2 lc rgb "#D55E00"
set linetype 3 lw 2 lc rgb "#009E73"
set linetype 4 lw 2 lc rgb "#CC79A7"
set linetype 5 lw 2 lc rgb "#56B4E9"
set linetype 6 lw 2 lc rgb "#E69F00"
