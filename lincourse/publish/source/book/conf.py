"""Settings of Sphinx for the book, one page to print and an EPUB; book.py collects its chapters."""

from sphinx.builders import _epub_base

_epub_base.MEDIA_TYPES |= {".woff2": "font/woff2", ".txt": "text/plain"}
project = "Linear classification, executable"
author = "the contributors"
copyright = "the contributors; code BSD-3-Clause, text CC BY 4.0"
version = release = "3"
extensions = ["myst_nb", "lincourse.publish.extension", "lincourse.publish.chapters"]
nb_execution_mode = "off"  # a chapter shows what its notebook stores
smartquotes = False
myst_enable_extensions = ["attrs_inline", "dollarmath", "strikethrough"]
myst_dmath_double_inline = True
suppress_warnings = ["myst.strikethrough"]
html_theme = "basic"
html_title = html_short_title = project
html_css_files = epub_css_files = ["common.css", "code.css", "book.css"]
html_copy_source = html_show_sourcelink = html_use_index = False
html_math_renderer = "mathml"
html_permalinks = False
epub_title = project
epub_description = "The whole course, as its notebooks store it."
epub_identifier = epub_uid = "linear-classification-executable"
epub_scheme = "name"
epub_show_urls = "no"
epub_use_index = False
epub_tocdepth = 2
