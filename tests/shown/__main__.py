"""Write down what explorers say and draw."""

from tests.shown import EXPLORERS, FOLDER, story

for name in [*EXPLORERS, "predict"]:
    (FOLDER / f"{name}.txt").write_text("\n".join(story(name)) + "\n", "utf-8")
