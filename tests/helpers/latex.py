"""A reader of the LaTeX that derivations print, which knows nothing of how it was printed.

It reads what a person reads: fractions, powers, roots, lengths, determinants, transposes, products
written side by side, sums and cases; and computes the value at a point. Names are given by their
LaTeX, as in ``{r"\\mathbf{w}": array}``.
"""

import re

import numpy as np

TOKEN = re.compile(r"\\(?:left|right)|\\[A-Za-z]+|\\[,;]|\d+(?:\.\d+)?|[A-Za-z]|[-+=<>^_{}()|,&*]")
SPACES = {r"\left", r"\right", r"\,", r"\;"}
NOTHING = "{}"  # before a sign that begins a row


def value(latex, names):
    """Return the value of a formula, where ``names`` has that of each letter with its index."""
    tokens = [token for token in TOKEN.findall(latex.replace(NOTHING, "")) if token not in SPACES]
    # An index of one letter needs no braces: w_0 is w_{0}.
    braced = {re.sub(r"_(\w)", r"_{\1}", name): known for name, known in names.items()}
    reader = _Reader(tokens, braced)
    found = reader.sum()
    assert reader.at == len(tokens), f"cannot read {latex!r} after {tokens[: reader.at]}"
    return found


class _Reader:
    def __init__(self, tokens, names):
        self.tokens, self.names, self.at = tokens, names, 0

    def next(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected=None):
        token = self.next()
        assert expected in (None, token), f"{expected!r} expected, got {token!r}"
        self.at += 1
        return token

    def sum(self):
        total = -self.product() if self.next() == "-" and self.take() else self.product()
        while self.next() in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            total = total + sign * self.product()
        return total

    def product(self):
        """Read factors side by side; a dot between two vectors binds more loosely than they do."""
        found = self.run()
        while self.next() == r"\cdot":
            self.take()
            found = _times(found, self.run())
        return found

    def run(self):
        factors = [self.factor()]
        while self.next() not in ("", "+", "-", ")", "}", r"\rvert", r"\rVert", ",", r"\cdot", "&"):
            factors.append(self.factor())
        # From the right: a matrix acts on the vector after it, a row meets the column after it.
        found = factors.pop()
        while factors:
            found = _times(factors.pop(), found)
        return found

    def factor(self):
        if self.next() == "e" and self.tokens[self.at + 1 : self.at + 2] == ["^"]:
            self.at += 2
            return float(np.exp(self.braced()))
        found = self.atom()
        while self.next() == "^":
            self.take()
            found = _raised(found, self.group())
        return found

    def group(self):
        """Read what an index or exponent holds, as tokens."""
        if self.next() != "{":
            return [self.take()]
        self.take("{")
        depth, held = 1, []
        while depth:
            token = self.take()
            depth += (token == "{") - (token == "}")
            held.append(token)
        return held[:-1]

    def braced(self):
        return _Reader(self.group(), self.names).whole()

    def whole(self):
        found = self.sum()
        assert self.at == len(self.tokens), self.tokens[self.at :]
        return found

    def between(self, opening, closing):
        self.take(opening)
        found = self.sum()
        self.take(closing)
        return found

    def atom(self):
        token = self.next()
        if re.match(r"\d", token):
            return float(self.take())
        if token == "(":
            return self.between("(", ")")
        if token == r"\lVert":
            return float(np.linalg.norm(self.between(r"\lVert", r"\rVert")))
        if token == r"\lvert":
            inside = self.between(r"\lvert", r"\rvert")
            return abs(inside) if np.ndim(inside) == 0 else float(np.linalg.det(inside))
        if token in (r"\frac", r"\tfrac"):
            self.take()
            return self.braced() / self.braced()
        if token == r"\sqrt":
            self.take()
            return float(np.sqrt(self.braced()))
        if token in (r"\min", r"\max"):
            self.take()
            self.take("(")
            values = [self.sum()]
            while self.next() == ",":
                self.take()
                values.append(self.sum())
            self.take(")")
            return min(values) if token == r"\min" else max(values)
        if token == r"\ln":
            self.take()
            return float(np.log(self.factor()))
        if token == r"\exp":
            self.take()
            return float(np.exp(self.factor()))
        return self.letter()

    def letter(self):
        name = self.take()
        if name in (r"\mathbf", r"\boldsymbol", r"\hat", r"\bar"):
            name += "{" + "".join(self.group()) + "}"
        if self.next() == "_":
            self.take()
            name += "_{" + "".join(self.group()) + "}"
        if self.next() == "^" and self.tokens[self.at + 1 : self.at + 2] == ["*"]:
            self.take()
            name += "^" + self.take()
        assert name in self.names, f"no letter {name!r}"
        return self.names[name]


class _Row(np.ndarray):
    """A vector that was transposed."""


def _raised(base, exponent):
    if exponent == [r"\top"]:
        return base.T if np.ndim(base) == 2 else np.asarray(base).view(_Row)
    if exponent == ["-", "1"] and np.ndim(base) == 2:
        return np.linalg.inv(base)
    return base ** float("".join(exponent))


def _times(a, b):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return a * b
    if isinstance(b, _Row) and not isinstance(a, _Row) and np.ndim(a) == 1:
        return np.outer(a, b)
    product = a @ b
    return product if np.ndim(product) else float(product)
