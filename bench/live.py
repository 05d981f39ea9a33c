"""What a reader of the site waits for: ``python -m bench.live``, after ``make site``.

Each page is opened by itself in Chromium, from the folder: seconds until there are words, until
something moves, and until Python is there if it is asked for at once; milliseconds of Python for a
move. Nothing passes or fails on these numbers: a busy machine makes all of them larger.
"""

import sys
from pathlib import Path
from statistics import median
from typing import Any

from lincourse.paths import BUILD
from lincourse.publish import pdf

WORDS = "performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000"
# Do something that the page answers by itself, a step or a move by a rule; then bring Python.
TIMES = """async () => {
  const walk = [...linlibLive.users.values()].find((user) => user.wake);
  const drawn = () => walk.box.querySelector(".linlib-drawn").innerHTML, before = drawn();
  if (walk.recorded) walk.box.querySelector('[data-key="Step"]').click();
  else {
    const grip = walk.box.querySelector(".linlib-handle");
    grip.focus();
    grip.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true }));
  }
  const moved = drawn() !== before && performance.now() / 1000;
  walk.wake();
  while (!walk.alive) await new Promise((done) => setTimeout(done, 20));
  return [walk.key, moved, performance.now() / 1000];
}"""
# Move the first handle of an explorer; return the milliseconds of Python for each move.
MOVES = """async (name) => {
  const walk = linlibLive.users.get(name), [handle] = walk.get().panels[0].handles;
  linlibLive.took = [];
  for (let k = 1; k < 16; k++) {
    const [x, y, number] = [handle.at[0] + k * 0.01, handle.at[1], Math.round(performance.now())];
    walk.send({ type: "move", id: handle.id, x, y, view: "bench", number });
    while (linlibLive.calls.length) await new Promise((done) => setTimeout(done, 5));
  }
  return linlibLive.took.map(({ ms }) => ms);
}"""


def measured(page: Any, address: str) -> str:
    """Return a line of the report."""
    page.goto(address)
    words, (name, moved, alive) = page.evaluate(WORDS), page.evaluate(TIMES)
    cost = median(page.evaluate(MOVES, name))
    return f"{words:6.1f} s {moved:6.1f} s {alive:6.1f} s {cost:5.0f} ms"


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else BUILD / "site"
    print("   words    moves    alive     move")
    with pdf.browser() as browser:
        for path in [folder / "index.html", *sorted(folder.glob("lectures/*.html"))]:
            if "data-walk" in path.read_text("utf-8"):
                context = browser.new_context()
                print(measured(context.new_page(), path.resolve().as_uri()), path.stem, flush=True)
                context.close()
