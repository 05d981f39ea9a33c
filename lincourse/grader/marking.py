"""The page on which written answers are marked: rubric, answer and points together, by keyboard.

It works offline and saves ``written.csv``. It is the only page with a script, our own; the policy
in its head names that script by its digest, so no other one can run.
"""

from __future__ import annotations

import base64
import hashlib
import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from lincourse.grader.feedback import POLICY, document

if TYPE_CHECKING:
    from lincourse.grader.scoring import Grading

SCRIPT = Path(__file__).with_name("marking.js")
RUBRIC = re.compile(r"^- ([\d.]+) points?: (.*)$", re.M)
KEYS = "abdefghilmopqrtuvwxyz"  # those of the alphabet that do nothing else
HELP = (
    "<p>Read, press the letters of what is there (or a digit for the points), go on with "
    "<kbd>j</kbd>. <kbd>k</kbd> back, <kbd>n</kbd> the next without points, <kbd>.</kbd> half a "
    "point more, <kbd>c</kbd> comment, <kbd>Esc</kbd> out of it, <kbd>s</kbd> save. What you give "
    "is kept in this browser at once. Put the saved <code>written.csv</code> in place of the one "
    "beside this page and grade again.</p>"
    "<p><button id='save' type='button'>Save written.csv</button> <label><input id='anonymous' "
    "type='checkbox' autocomplete='off'> hide names</label> <span id='status'></span></p>"
)
STYLE = """<style>
article { border: 1px solid #999; border-radius: 4px; margin: 1rem 0; padding: .6rem 1rem; }
article.now { border-color: #0072b2; box-shadow: 0 0 0 2px #0072b2; }
article textarea { width: 100%; min-height: 3rem; font: inherit; }
article input.points { width: 5rem; font: inherit; }
.rubric label { display: block; }
pre.raw, .anonymous article h3 span, article h3 i { display: none; }
.anonymous article h3 i { display: inline; }
.model { position: sticky; top: 0; max-height: 40vh; overflow: auto; z-index: 1; margin: 0; }
.model { background: #eef6fb; border-left: 3px solid #0072b2; padding: .1rem 1rem; }
article { scroll-margin-top: 41vh; }
</style>"""


def page(grading: Grading, waiting: list[dict[str, str]]) -> str:
    """Return the written answers question by question, each with its rubric."""
    script = SCRIPT.read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = [HELP]
    for cell in grading.source.cells:
        label = cell.metadata.nbgrader
        if not (label.grade and label.solution):
            continue
        model, rubric = model_and_rubric(cell.source)
        mine = [row for row in waiting if row["question"] == label.grade_id]
        # In the order of the answers: that of the names would tell who it is.
        mine.sort(key=lambda row: hashlib.sha256(row["answer"].encode()).digest())
        cards = "".join(card(row, rubric, number) for number, row in enumerate(mine, 1))
        title = f"<h2>{escape(label.grade_id)}</h2><blockquote class='model'>{model}</blockquote>"
        parts.append(f"<section>{title}{cards}</section>")
    parts.append(f"<script>{script}</script>")
    policy = f"{POLICY}; script-src 'sha256-{digest}'"
    title = f"{grading.homework}: written answers"
    return document(title, "".join(parts), head=STYLE, policy=policy)


def model_and_rubric(source: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the model answer as HTML, and the rubric as points with what they are for."""
    from lincourse.grader.inside.html import markdown

    text = "\n".join(line for line in source.splitlines() if not line.startswith("### "))
    return markdown(text.partition("**Rubric**")[0]), RUBRIC.findall(text)


def card(row: dict[str, str], rubric: list[tuple[str, str]], number: int) -> str:
    """Return one answer with everything that is needed to mark it."""
    boxes = "".join(
        f"<label><input type='checkbox' value='{escape(points)}' data-key='{key}'> "
        f"<kbd>{key}</kbd> {escape(points)}: {escape(what)}</label>"
        for key, (points, what) in zip(KEYS, rubric, strict=False)
    )
    who, question, of = (escape(row[key], quote=True) for key in ("student", "question", "of"))
    return (
        f"<article tabindex='0' data-student='{who}' data-question='{question}' data-of='{of}'>"
        f"<h3><span>{who}</span><i>Answer {number}</i></h3><div class='student'>{row['html']}</div>"
        f"<div class='rubric'>Rubric{boxes}</div>"
        f"<p><label>Points <input class='points' value='{escape(row['points'], quote=True)}'>"
        f"</label> of {of}</p><label>Comment<textarea>{escape(row['comment'])}</textarea></label>"
        f"<pre class='raw'>{escape(row['answer'])}</pre></article>"
    )
