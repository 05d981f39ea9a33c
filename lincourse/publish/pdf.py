"""Print pages to PDF with the system's Chromium, if there is one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lincourse import programs
from lincourse.files import put

# Chromium without anything that would leave the machine; root has no sandbox of its own.
CHROMIUM = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
CHROMIUM += ["--disable-component-update", "--disable-sync"]
CHROMIUM += ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []


@contextmanager
def browser() -> Iterator[Any]:
    """Start Chromium; playwright's own download of one is never used."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        shown = playwright.chromium.launch(executable_path=programs.find("chromium"), args=CHROMIUM)
        yield shown
        shown.close()


def printer() -> bool:
    """Return whether there is a Chromium to print with; say why if there is none."""
    why_not = programs.missing("chromium")
    if why_not:
        print(f"No PDF: {why_not}.")
    return not why_not


def print_page(page: Any, address: str, out: Path) -> int:
    """Print one address; return the number of pages. The same page gives the same bytes."""
    page.goto(address)
    page.wait_for_function("window.deckReady !== false")  # as deck.js says it
    made = page.pdf(print_background=True, prefer_css_page_size=True, tagged=True, outline=True)
    made = re.sub(rb"D:\d{14}", b"D:20000101000000", made)  # the time of printing
    put(out, made)
    return len(re.findall(rb"/Type\s*/Page\b", made))


def print_pages(sources: Sequence[Path], query: str = "") -> None:
    """Print files beside themselves."""
    with browser() as shown:
        page = shown.new_page(viewport={"width": 1280, "height": 720})
        for source in sources:
            out = source.with_suffix(".pdf")
            count = print_page(page, f"{source.resolve().as_uri()}{query}", out)
            print(f"  {out.name}: {count} page{'s' * (count > 1)}")


def destinations(printed: Path) -> dict[str, int]:
    """Return the page on which each target of a link stands."""
    from pypdf import PdfReader

    read = PdfReader(printed)
    return {
        name.removeprefix("/"): 1 + (read.get_destination_page_number(target) or 0)
        for name, target in read.named_destinations.items()
    }
