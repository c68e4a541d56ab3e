# Five scores and their weights: raw, and divided by 8.
eval canvas(330)
set xlabel "score"
eval y_title("attention weight")
set grid noxtics
set xrange [0.45:5.55]
set yrange [0:0.7]
set ytics ("0" 0, "20 %%" 0.2, "40 %%" 0.4, "60 %%" 0.6)
set border 1
set boxwidth 0.34
percent(x) = x < 0.000001 ? sprintf("%.5f", 100 * x) : x < 0.00001 ? sprintf("%.4f", 100 * x) : x < 0.001 ? sprintf("%.2f", 100 * x) : sprintf("%.0f", 100 * x)
set label "raw" at 3.55,0.6 left textcolor rgb vermilion
set label "divided by √64 = 8" at 3.55,0.52 left textcolor rgb blue
plot data using ($1 - 0.19):3:xtic(sprintf("%.1f", $2)) with boxes lt 2, \
  data using ($1 + 0.19):4 with boxes lt 1, \
  data using ($1 - 0.19):($3 < 0.01 ? NaN : $3):(percent($3)) with labels offset 0,0.7 textcolor rgb vermilion, \
  data using ($1 - 0.03):($3 < 0.01 ? $3 : NaN):(percent($3)) with labels right offset 0,0.7 textcolor rgb vermilion, \
  data using ($1 + 0.19):4:(percent($4)) with labels offset 0,0.7 textcolor rgb blue
