"""Where links between notebooks lead: on the site, in the book, in the slides.

A notebook links another by its file, and a cell of it by ``#cell-id=…``, as JupyterLab follows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

# From the name of a notebook, and of one of its cells or "", to an address; empty: the words stay.
Link = Callable[[str, str], str]
HTML_LINK = re.compile(r'<a href="(?!https?:|#)([^"]+)">(.*?)</a>', re.DOTALL)
# How-to pages that the repository has already: what they link to besides is not on the site.
REPEATED = {
    "howto/change": "CONTRIBUTING.md",
    "howto/grade": "notebooks/homework/README.md",
    "howto/hub": "deploy/README.md",
}


def address(name: str, id: str, root: str = "../") -> str:
    """Return the page of the site that shows a notebook, at one of its cells.

    >>> address("02-perceptron", "claim-P6"), address("hw1", "")
    ('../lectures/02-perceptron.html#claim-P6', '../homework/hw1.html')
    """
    folder = "lectures" if name[:2].isdigit() else "homework"
    return f"{root}{folder}/{name}.html" + (f"#{id}" if id else "")


def meant(target: str) -> tuple[str, str] | None:
    """Return the notebook and the cell that a link means, nothing if it means another file.

    >>> meant("../02-no.ipynb#cell-id=c"), meant("02-no.ipynb"), meant("../LICENSE")
    (('02-no', 'c'), ('02-no', ''), None)
    """
    path, _, cell = target.partition("#")
    name, _, kind = path.rpartition("/")[2].rpartition(".")
    return (name, cell.removeprefix("cell-id=")) if kind == "ipynb" else None


def followed(target: str, link: Link) -> str:
    """Return the address that a link means, nothing for another file of the repository.

    >>> followed("../02-no.ipynb#cell-id=c", address), followed("../LICENSE", address)
    ('../lectures/02-no.html#c', '')
    """
    if target.startswith(("http:", "https:", "#")):
        return target
    notebook = meant(target)
    return link(*notebook) if notebook else ""


def relinked(html: str, link: Link) -> str:
    """Return stored HTML whose links between notebooks lead where ``link`` says.

    >>> relinked('<a href="../02-no.ipynb#c">a</a>', address)
    '<a href="../lectures/02-no.html#c">a</a>'
    """

    def mend(found: re.Match[str]) -> str:
        to = followed(found[1], link)
        return f'<a href="{to}">{found[2]}</a>' if to else found[2]

    return HTML_LINK.sub(mend, html)


class Links(SphinxTransform):
    """Links between notebooks lead to the pages that show them."""

    default_priority = 340

    def apply(self, **kwargs: Any) -> None:
        for node in list(self.document.findall(addnodes.pending_xref)):
            if node["reftype"] != "myst":
                continue
            notebook = self.notebook(node)
            to = self.link(*notebook) if notebook else ""
            words = [one.deepcopy() for one in node[0].children]
            if to:
                words = [nodes.reference("", "", *words, refuri=to, internal=True)]
            if notebook or self.elsewhere(node):
                at = node.parent.index(node)
                node.parent[at : at + 1] = words

    def notebook(self, node: addnodes.pending_xref) -> tuple[str, str] | None:
        """Return the notebook and the cell that a link means, nothing for another page."""
        if node["refdomain"] != "doc":
            return meant(node["reftarget"])
        path = self.env.doc2path(node["reftarget"])
        return meant(f"{path}#{node['reftargetid'] or ''}")

    def elsewhere(self, node: addnodes.pending_xref) -> bool:
        """Return whether a link leads into the repository, to what is not on the site."""
        return node["refdomain"] != "doc" and self.env.docname in REPEATED

    def link(self, name: str, id: str) -> str:
        return address(name, id, "../" * self.env.docname.count("/"))
