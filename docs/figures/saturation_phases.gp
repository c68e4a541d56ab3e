# Where a softmax of unscaled random scores condenses on a few keys, and where well-known models are.
set xlabel "head dimension d, the variance of an unscaled score"
set ylabel "number of keys n"
set logscale x 2
set logscale y
set format y "10^{%L}"
set xrange [0.8:512]
set yrange [2:2e7]
set key at graph 0.02, 0.98 left top Left reverse
set label "spread" at 4, 5e3 center font ",17" textcolor rgb "#333333"
set label "condensed" at 60, 12 center font ",17" textcolor rgb "#333333"
set label "GPT, BERT" at 70, 480 left textcolor rgb "#D55E00"
set label "GPT-2" at 70, 1024 left textcolor rgb "#D55E00"
set label "large GPT-3, LLaMA" at 140, 1250 left textcolor rgb "#D55E00"
set label "Llama 2" at 142, 4500 left textcolor rgb "#D55E00"
set label "Llama 3" at 142, 131072 left textcolor rgb "#D55E00"
set label "PaLM" at 284, 2300 left textcolor rgb "#D55E00"
set label "divided by √d" at 1.12, 60 left textcolor rgb "#0072B2"
plot data every :::0::0 using 1:2 with lines lt 8 lc rgb "#333333" lw 2.5 title "threshold, n = e^{d/2}", \
  data every :::1::1 using 1:2 with lines lt 3 dt 2 title "mean sum of squared weights is ½", \
  data every :::2::2 using 1:2 with points lt 2 pt 7 ps 0.8 title "models, unscaled", \
  data every :::3::3 using 1:2 with points lt 1 pt 9 ps 0.9 title "the same, divided by √d"
