"""The palette of figures and explorers, readable without Matplotlib.

The colours are Okabe and Ito's, which colour-blind readers can tell apart; the markers differ for
those who print in grey.
"""

BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#B65E95"
YELLOW, SKY, GREY, BLACK = "#E69F00", "#56B4E9", "#666666", "#111111"
COLOURS = (BLUE, ORANGE, GREEN, PURPLE, YELLOW, SKY)
MARKERS = ("o", "s", "^", "D", "v", "P")
