"""A folder of live pages and a strict server for it: what the tests of both browsers open."""

from __future__ import annotations

import contextlib
import functools
import http.server
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lincourse.publish import live, pages, recordings
from lincourse.publish.lectures import lectures
from tests.helpers.browser import ROOT

HOWTO = ROOT / "lincourse/publish/source/howto/live.md"
(POLICY,) = re.findall(r"^    Content-Security-Policy: (.+)$", HOWTO.read_text("utf-8"), re.M)
ELSEWHERE = "http://localhost:*"  # another origin: where a distribution may be served
# Every cell that shows an explorer or asks for a prediction, by the name of its walk.
WALKS = {
    name: (one, cell)
    for one in lectures()
    for cell in one.cells
    if (name := recordings.name_of(one, cell))
}
HYPERPLANE, PERCEPTRON, MARGINS = (
    next(name for name, (one, _) in WALKS.items() if one.slug == slug and name == one.name)
    for slug in ("hyperplanes", "perceptron", "margins")
)
# Explorers whose line follows the hand without Python.
RULED = [
    name
    for name, (_, cell) in WALKS.items()
    if cell.explores and re.search("Line|Hyperplane", cell.source)
]


def write(out: Path) -> None:
    """Write a page with everything, two with some explorers, and the site's Python."""
    recordings.write(out / "walks", live=live.write(out / "live"))
    asked = (cell.exercise for one in lectures() for cell in one.cells)
    boxes = [pages.exercise_box(one) for one in asked if one]
    head = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>live</title>'
    head += '<link rel="stylesheet" href="walks/exercise.css">'
    head += recordings.scripts("walks/", "live", "exercise")
    some = {"two": [PERCEPTRON, HYPERPLANE], "held": [*RULED, PERCEPTRON, MARGINS]}
    for page, shown in ({"all": list(WALKS)} | some).items():
        walks = (recordings.box(name, "<p>still</p>", "walks/") for name in shown)
        (out / f"{page}.html").write_text("".join([head, *walks, *boxes]), "utf-8")


class Server(http.server.ThreadingHTTPServer):
    """A static server with a strict policy that remembers what it sent."""

    def __init__(self, folder: Path) -> None:
        self.sent: list[tuple[str, int]] = []
        self.policy = re.sub("(script-src|connect-src)", rf"\1 {ELSEWHERE}", POLICY)
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))

    def address(self, page: str = "all.html", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.server_port}/{page}"


class Handler(http.server.SimpleHTTPRequestHandler):
    server: Server

    def log_request(self, code: Any = "-", size: Any = "-") -> None:
        self.server.sent.append((self.path, int(code)))

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", self.server.policy)
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()


@contextlib.contextmanager
def served(folder: Path) -> Iterator[Server]:
    with Server(folder) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()
