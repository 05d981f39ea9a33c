"""The whole strict validation of the notebooks, against the least that it could take."""

import base64
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import nbformat
from jupyter_client.manager import start_new_kernel
from PIL import Image

from bench.contest import Part

TITLE = "The course itself"
NOTE = (
    "Seconds for `pytest notebooks` (two workers), and for the floor: the same number of kernels, "
    "two at a time, that import NumPy and Matplotlib and draw as many figures of the same sizes, "
    "with one line each. Aim: a ratio below 1.5."
)
ROOT = Path(__file__).resolve().parent.parent.parent
IMPORT = "%matplotlib inline\nimport numpy as np\nimport matplotlib.pyplot as plt"
DRAW = "fig, ax = plt.subplots(figsize=({}, {}), dpi=100)\nax.plot([0, 1])\nplt.show()"


def run(quick: bool) -> Part:
    """Time both, in turn."""
    books = sorted((ROOT / "notebooks").glob("*.ipynb"))[: 1 if quick else None]
    sizes = [figures(book) for book in books]
    floors, courses = [], []
    try:
        for _ in range(1 if quick else 2):
            floors.append(_timed(lambda: _floor(sizes)))
            courses.append(_timed(lambda: _validate(books)))
    except (
        RuntimeError,
        TimeoutError,
        subprocess.TimeoutExpired,
    ) as error:  # said, and the report goes on
        print(error, file=sys.stderr)
        if not courses:
            return Part(note=NOTE, markdown=f"Not measured: {str(error).splitlines()[0]}")
    ratio = min(courses) / min(floors)
    text = (
        f"{len(books)} notebooks, {sum(map(len, sizes))} figures: validation "
        f"{min(courses):.1f} s, floor {min(floors):.1f} s, ratio {ratio:.2f} "
        f"(the best of {len(courses)})."
    )
    return Part(note=NOTE, markdown=text)


def figures(book: Path) -> list[tuple[int, int]]:
    """Return the size in pixels of every figure stored in a notebook."""
    found = []
    for cell in nbformat.read(book, as_version=4).cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                png = base64.b64decode(output["data"]["image/png"])
                found.append(Image.open(BytesIO(png)).size)
    return found


def _timed(job) -> float:
    begin = time.perf_counter()
    job()
    return time.perf_counter() - begin


def _validate(books: list[Path]) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile"]
    command += map(str, books)
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    if done.returncode:
        raise RuntimeError(f"the notebooks do not validate.\n{done.stdout[-2000:]}")


def _floor(sizes: list[list[tuple[int, int]]]) -> None:
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(_draw, sizes))


def _draw(sizes: list[tuple[int, int]]) -> None:
    manager, client = start_new_kernel(stderr=subprocess.DEVNULL)
    try:
        for code in [IMPORT, *(DRAW.format(w / 100, h / 100) for w, h in sizes)]:
            reply = client.execute_interactive(code, output_hook=lambda message: None, timeout=60)
            assert reply["content"]["status"] == "ok", reply["content"]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
