"""How long a newcomer waits for the first drag in JupyterLab: ``python -m tests.first_drag``.

Follows the README in an empty folder: clone, ``make lab``, one click on *Run all*, drag the line.
Nothing passes or fails on these numbers: most of the wait is the registry's and the machine's.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

from lincourse.publish import pdf
from tests.helpers.browser import ROOT, free_port

HANDLE = ".linlib-handle path"


def main() -> None:
    began = time.monotonic()

    def report(step: str) -> None:
        print(f"{time.monotonic() - began:6.1f} s  {step}", flush=True)

    with tempfile.TemporaryDirectory() as empty, pdf.browser() as browser:
        course = Path(empty) / "course"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(course)], check=True)
        report("git clone")
        bare = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
        lab = subprocess.Popen(
            ["make", "lab", f"ARGS=--port {free_port()}"],
            cwd=course,
            env=bare,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )
        try:
            found = (re.search(r"http://127\.0\.0\.1\S+token=\w+", line) for line in lab.stderr)
            address = next(filter(None, found)).group()
            report("make lab prints its address")
            page = browser.new_page(viewport={"width": 1366, "height": 768})
            page.set_default_timeout(120_000)
            page.goto(address)
            page.get_by_role("button", name="Run all", exact=True).click()
            report("one click on Run all")
            handle = page.locator(HANDLE).first
            handle.wait_for()
            page.mouse.move(700, 400)
            while (box := handle.bounding_box())["y"] > 600:
                page.mouse.wheel(0, 100)
                page.wait_for_timeout(100)
            report("the line can be dragged")
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            page.mouse.down()
            page.mouse.move(box["x"] + 60, box["y"] + 30, steps=5)
            page.mouse.up()
            page.wait_for_function(
                """([part, was]) =>
                    document.querySelector(part).getBoundingClientRect().x > was + 20""",
                arg=[HANDLE, box["x"]],
            )
            report("the line was dragged")
        finally:
            os.killpg(lab.pid, 15)
            lab.wait()


if __name__ == "__main__":
    main()
