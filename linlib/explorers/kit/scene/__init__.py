"""The scene: what an explorer shows, as plain numbers and words that two renderers understand.

A scene is a list of panels; a panel holds drawables and handles in the units of the data. The
browser draws it with ``canvas.js``, the still picture with Matplotlib (``still.py``). Everything
here returns plain dictionaries of finite numbers: a NaN would stop the browser without a word, so
it is refused with a sentence instead.
"""

from linlib.explorers.kit.scene.drawn import (
    arrow,
    ellipse,
    handle,
    marks,
    path,
    polygon,
    ring,
    text,
)
from linlib.explorers.kit.scene.kinds import CLASS_LOOK, DASHED, DOTTED, Item, Limits, View
from linlib.explorers.kit.scene.lines import (
    around,
    clamp,
    clip,
    corners,
    line,
    side,
    sides,
    solutions,
)
from linlib.explorers.kit.scene.panels import legend, panel, ticks
from linlib.explorers.kit.scene.words import (
    brief,
    many,
    mark,
    pieces,
    plain,
    power_of_ten,
    rounded,
    say,
    tied,
    vector,
)

__all__ = [
    "CLASS_LOOK",
    "DASHED",
    "DOTTED",
    "Item",
    "Limits",
    "View",
    "around",
    "arrow",
    "brief",
    "clamp",
    "clip",
    "corners",
    "ellipse",
    "handle",
    "legend",
    "line",
    "many",
    "mark",
    "marks",
    "panel",
    "path",
    "pieces",
    "plain",
    "polygon",
    "power_of_ten",
    "ring",
    "rounded",
    "say",
    "side",
    "sides",
    "solutions",
    "text",
    "ticks",
    "tied",
    "vector",
]
