"""The numbers of a text.

A number is written in digits ("18", "20 000", "0.16", "1e-9") or in words ("forty-two", "three
hundred", "half"). What only looks like one is left out: parts of names (``w0``, claim P6), indices
and exponents of a formula, list markers, labels of headings (``## Exercise 3``), targets of links,
and labels of links to a lecture (``[02](02-perceptron.ipynb)``), which are held to their target.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lincourse.check.language import ENGLISH, Language
from lincourse.check.markdown import MATH, blank

LINK_TARGET = re.compile(r"(?<=\])\([^)]*\)")
LECTURE_LABEL = re.compile(r"(?<=\[)\d\d(?=(?: ·[^\]]*)?\]\([^)]*\.ipynb)")
LIST_MARKER = re.compile(r"^ *\d+[.)](?= )", re.MULTILINE)
HEADING_LABEL = re.compile(r"^#+ (?:\w+ )?\d+(?= ·|[.:]?$|[.:] )", re.MULTILINE)  # ## Exercise 3
# An index or an exponent; a fraction or a root that is written without braces.
INDEX = re.compile(r"[_^]\s*(\{[^{}]*\}|\\?\w)|\\[td]?frac\s*\d\s*\d|\\sqrt\s*\d")
NAME = r"(?P<name>[A-Za-z_]\w*\d\w*|[²³⁴⁵⁶⁷⁸⁹⁰¹₀-₉]+)"
REACH = 40  # signs before and after a number that say how it is meant
DEGREES = re.compile(r"\s*°|\^\\circ")


class Number(NamedTuple):
    """A number as a text writes it, and what the words around it say of it."""

    text: str  # without spaces: 20_000, three_hundred
    value: float
    digits: int = 0  # after the decimal sign
    spelt: bool = False  # in words
    formula: bool = False  # inside $…$
    about: bool = False  # "about 2500"
    share: bool = False  # "16 %"
    degrees: bool = False  # "35°"
    counted: bool = False  # "three of seven", both of them
    lecture: bool = False  # "lecture 02"
    start: int = 0  # where it begins in the text
    excerpt: str = ""


def numbers(source: str, language: Language = ENGLISH) -> list[Number]:
    """Return the numbers of a markdown text in their order."""
    text = source
    for no_number in (LECTURE_LABEL, LINK_TARGET, LIST_MARKER, HEADING_LABEL):
        text = no_number.sub(blank, text)
    formulas = [part.span() for part in MATH.finditer(text)]
    indices = [part.span() for part in INDEX.finditer(text) if within(formulas, part.start())]
    token = signs(language).token
    return [
        number(found, text, language, within(formulas, found.start()))
        for found in token.finditer(MATH.sub(without_letters, text))
        if found["name"] is None and not within(indices, found.start())
    ]


def number(found: re.Match[str], text: str, language: Language, formula: bool) -> Number:
    """Return the number found at a place of a text."""
    known = signs(language)
    written = found.group()
    before = text[max(0, found.start() - REACH) : found.start()]
    after = text[found.end() : found.end() + REACH]
    excerpt = f"{before[-24:]}{written}{after[:24]}"
    places = re.search(rf"{re.escape(language.decimal)}(\d+)", written)
    return Number(
        text=re.sub(r"\s+", "_", written.strip()),
        value=value_of(written, language),
        digits=len(places[1]) if places else 0,
        spelt=found["word"] is not None,
        formula=formula,
        about=bool(known.about.search(before)),
        share=bool(known.share.match(after)),
        degrees=bool(DEGREES.match(after)),
        counted=bool(known.before_of.match(after) or known.after_of.search(before)),
        lecture=bool(re.fullmatch(r"\d\d", written))
        and (written[0] == "0" or bool(known.lecture.search(before))),
        start=found.start(),
        excerpt=re.sub(r"\s+", " ", excerpt).strip(),
    )


def value_of(written: str, language: Language = ENGLISH) -> float:
    """Return the value of a number in digits or in words; "three hundred" is 300."""
    if written[0].isdigit():
        plain = re.sub(rf"[{re.escape(language.thousands)}\u2009\u202f{{}}\\]", "", written)
        return float(plain.replace(language.decimal, "."))
    words = {word.lower(): value for word, value in language.words.items()}
    scales = {word.lower(): scale for word, scale in language.scales.items()}
    total = 0.0
    for word in re.split(r"[- ]", written.lower()):
        total = (total or 1) * scales[word] if word in scales else total + words.get(word, 0)
    return total


def within(spans: Sequence[tuple[int, int]], position: int) -> bool:
    return any(start <= position < end for start, end in spans)


def without_letters(formula: re.Match[str]) -> str:
    r"""Blank the commands and letters of a formula: in \mathbf w_12x only 12 counts."""
    text = re.sub(r"\\[A-Za-z]+", blank, formula.group())
    return "".join(" " if sign.isalpha() or sign == "_" else sign for sign in text)


# ---------------------------------------------------------------- patterns of a language


class Signs(NamedTuple):
    """The patterns of a language."""

    token: re.Pattern[str]  # a number, or a name with digits in it
    numeral: re.Pattern[str]  # a number in digits that is no part of a name
    about: re.Pattern[str]  # ends right before a rounded number
    share: re.Pattern[str]  # begins right after the number of a share
    before_of: re.Pattern[str]  # begins right after a count: " of seven"
    after_of: re.Pattern[str]  # ends right before a total: "three of "
    lecture: re.Pattern[str]  # ends right before the number of a lecture


@functools.cache
def signs(language: Language) -> Signs:
    thousands = rf"(?:[{re.escape(language.thousands)}\u2009\u202f]|\\,|\{{,\}})"
    whole = rf"(?:\d{{1,3}}(?:{thousands}\d{{3}})+(?!\d)|\d+)"
    numeral = rf"{whole}(?:{re.escape(language.decimal)}\d+)?(?:e[-+]?\d+)?"
    one = alternatives({*language.words, *language.scales} - {"one"})  # "one" is mostly a pronoun
    word = rf"(?P<word>(?<![\w-])(?:{one})(?:-one|[- ](?:{one}))*(?!\w))"
    about, percent, of, lecture = map(
        alternatives, (language.about, language.percent, language.of, language.lecture)
    )
    patterns = (
        f"{NAME}|{numeral}|{word}",
        rf"(?<![A-Za-z_\d.]){numeral}",
        rf"\b(?:{about})\W+$",
        rf"\W{{0,2}}(?:%|°|\\%|{percent})",
        rf" (?:{of}) (?:\d|{one})",
        rf"(?:\d|{one}) (?:{of}) $",
        rf"\b(?:{lecture}) (?:\d\d(?:,? and |, ))*$",
    )
    return Signs(*(re.compile(pattern, re.IGNORECASE) for pattern in patterns))


def alternatives(words: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))
