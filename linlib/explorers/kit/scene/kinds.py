"""What all parts of a scene are made of."""

from typing import Any

from linlib.notebook.colours import BLUE, ORANGE

Item = dict[str, Any]
Limits = tuple[float, float]
View = tuple[Limits, Limits]

DASHED, DOTTED = "7 5", "2 4"
CLASS_LOOK = {1: ("o", BLUE), -1: ("s", ORANGE)}
