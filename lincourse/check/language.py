"""How the language of a text writes numbers: its words, its decimal sign, what says "about".

A notebook in another language than English says so in its metadata: ``"lang": "de"``. Another
language is one more table here.
"""

from __future__ import annotations

from dataclasses import dataclass

from nbformat import NotebookNode


@dataclass(frozen=True, eq=False)  # there is one of each
class Language:
    """What the numbers of a text look like."""

    decimal: str  # between units and tenths
    thousands: str  # signs, one of which may stand between groups of three digits
    words: dict[str, float]  # numbers that are spelt
    scales: dict[str, int]  # words that multiply what stands before them
    about: tuple[str, ...]  # words after which a number is rounded
    percent: tuple[str, ...]
    of: tuple[str, ...]  # between a count and its total: "three of the seven"
    lecture: tuple[str, ...]  # words that the number of a lecture follows


def counted(words: str, first: int = 0, step: int = 1) -> dict[str, float]:
    return {word: first + step * k for k, word in enumerate(words.split())}


ENGLISH = Language(
    decimal=".",
    thousands=" ,_",
    words=counted(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen"
    )
    | counted("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)
    | {"half": 0.5, "quarter": 0.25, "twice": 2, "double": 2, "½": 0.5, "¼": 0.25, "¾": 0.75},
    scales={"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6},
    about=("about", "roughly", "nearly", "almost", "around", "approximately", "some"),
    percent=("percent", "per cent"),
    of=("of the", "of its", "of all", "of our", "of"),
    lecture=("lecture", "lectures"),
)

_UNITS = counted("ein zwei drei vier fünf sechs sieben acht neun", 1)
_TENS = counted("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig", 20, 10)
GERMAN = Language(
    decimal=",",
    thousands=" ._",
    words=counted(
        "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
        "fünfzehn sechzehn siebzehn achtzehn neunzehn"
    )
    | _TENS
    | {f"{one}und{ten}": _UNITS[one] + _TENS[ten] for one in _UNITS for ten in _TENS}
    | {f"{one}hundert": 100 * _UNITS[one] for one in _UNITS}
    | {"halb": 0.5, "Hälfte": 0.5, "Viertel": 0.25, "doppelt": 2, "½": 0.5, "¼": 0.25, "¾": 0.75},
    scales={"Dutzend": 12, "hundert": 100, "tausend": 1000, "Million": 10**6, "Millionen": 10**6},
    about=("etwa", "rund", "ungefähr", "fast", "beinahe", "circa"),
    percent=("Prozent",),
    of=("von den", "von allen", "der", "von"),
    lecture=("Vorlesung", "Vorlesungen"),
)

LANGUAGES = {"en": ENGLISH, "de": GERMAN}


def language_of(notebook: NotebookNode) -> Language:
    """Return the language that a notebook names in its metadata, English if it names none."""
    name = notebook.metadata.get("lang", "en")
    if name not in LANGUAGES:
        raise ValueError(
            f"the notebook's metadata name the language {name!r}, known are {sorted(LANGUAGES)}: "
            "add its numbers to lincourse/check/language.py."
        )
    return LANGUAGES[name]
