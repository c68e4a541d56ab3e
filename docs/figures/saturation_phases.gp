# The region where a softmax of unscaled random scores condenses on a few keys, and the places of well-known models.
eval canvas(540)
set xlabel "head dimension d, the variance of a raw score"
eval y_title("number of keys")
set logscale x 2
set logscale y
set format y "10^{%L}"
set xrange [0.7:700]
set yrange [2:1.6e7]
set xtics (1, 4, 16, 64, 256)
set grid noxtics noytics
set samples 200
set label "weights are spread" at 1.8, 3e6 left textcolor rgb blue
set label "weights condense on a few keys" at 640, 5 right textcolor rgb vermilion
set label "n = e^{d/2}" at 21, 3e5 right textcolor rgb ink
set label "divided by √d," at 1.3, 1.9e4 left textcolor rgb blue
set label "every one is here" at 1.3, 8e3 left textcolor rgb blue
set label "mean sum of" at 140, 8e6 left textcolor rgb soft
set label "squares is ½" at 140, 3.2e6 left textcolor rgb soft
set label "GPT, BERT" at 71, 245 left textcolor rgb vermilion
set label "GPT-2" at 71, 1200 left textcolor rgb vermilion
set label "GPT-3, LLaMA" at 138, 560 left textcolor rgb vermilion
set label "Llama 2" at 138, 5600 left textcolor rgb vermilion
set label "Llama 3" at 146, 131072 left textcolor rgb vermilion
set label "PaLM" at 292, 2500 left textcolor rgb vermilion
set object 1 rectangle from graph 0, graph 0 to graph 1, graph 1 fc rgb faint(blue, 0.12) fs solid noborder behind
plot data every :::0::0 using 1:2 with filledcurves x2=700 lc rgb paper, \
  data every :::0::0 using 1:2 with filledcurves x2=700 lc rgb faint(vermilion, 0.1), \
  data every :::1::1 using 1:2 with lines lw 1.5 dt (6,4) lc rgb soft, \
  data every :::0::0 using 1:2 with lines lw 2.5 lc rgb ink, \
  data every :::2::2 using 1:2 with points pt 7 ps 0.8 lc rgb vermilion, \
  data every :::3::3 using 1:2 with points pt 9 ps 0.9 lc rgb blue
