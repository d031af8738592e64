"""Manuals that a documentation tool made. Their home page describes a work, not the people behind a website."""

import re
from typing import Final

from chalicelib.domain.page.facts import PageFacts

# Tools for manuals of one work. Such a manual names the owner elsewhere.
_MANUAL_TOOLS: Final = re.compile(
    r"docbook|docutils|sphinx|makeinfo|texi2any|texi2html|texinfo|doxygen|javadoc|rustdoc|mdbook|gtk-doc|gi-docgen"
    r"|\bnim\b|pod2html|asciidoc|haddock|ex_?doc\b|typedoc|jsdoc|pdoc|latex2html|tex4ht|hevea|hyperlatex|qdoc|linuxdoc|sgml-?tools|publican"
    r"|debiandoc|dokka|phpdocumentor|natural ?docs|man2html|mandoc|\bgroff",
    re.IGNORECASE,
)
_OF_SPHINX: Final = re.compile(r"/_static/(?:documentation_options|doctools)\.js(?:$|\?)")


def is_manual(home: PageFacts) -> bool:
    """Whether a documentation tool made the home page."""
    if _MANUAL_TOOLS.search(home.generator or "") is not None:
        return True
    return any(_OF_SPHINX.search(resource.url) is not None for resource in home.resources)
