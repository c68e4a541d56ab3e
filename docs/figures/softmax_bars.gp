# Five scores and their weights: raw, and divided by 8.
eval canvas(370)
set xlabel "attention weight"
eval y_title("score")
set grid noytics
set xrange [0:0.76]
set xtics ("0" 0, "20 %%" 0.2, "40 %%" 0.4, "60 %%" 0.6)
set yrange [5.5:0.5]
set border 2
set ytics scale 0
percent(x) = x < 0.000001 ? sprintf("%.5f %%", 100 * x) : x < 0.00001 ? sprintf("%.4f %%", 100 * x) : x < 0.001 ? sprintf("%.2f %%", 100 * x) : sprintf("%.0f %%", 100 * x)
named(row, words, x) = row == 1 ? percent(x) . words : percent(x)
plot data using (0):($1 - 0.2):(0):3:($1 - 0.38):($1 - 0.02):ytic(sprintf("%.1f", $2)) with boxxyerror lt 2, \
  data using (0):($1 + 0.2):(0):4:($1 + 0.02):($1 + 0.38) with boxxyerror lt 1, \
  data using 3:($1 - 0.2):(named($1, " raw", $3)) with labels left offset 0.6,0 textcolor rgb vermilion, \
  data using 4:($1 + 0.2):(named($1, " divided by √64 = 8", $4)) with labels left offset 0.6,0 textcolor rgb blue
