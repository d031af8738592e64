"""Recognises tools that make documentation from program code. Such tools also choose the names of the files."""

import re
from typing import Final

CODE_TOOLS: Final = (
    r"(?:doxygen|javadoc|jsdoc|rustdoc|typedoc|phpdoc|gtk-doc|gi-docgen|haddock|epydoc|pydoctor|robodoc|ocamldoc"
    r"|groovydoc|esdoc|valadoc|natural ?docs|ex_?doc\b|\b(?:yard|rdoc|dokka|scaladoc|ldoc|luadoc|pdoc3?|odoc|docfx"
    r"|sandcastle|jazzy|appledoc|apigen|headerdoc|autogsdoc|qdoc|ddoc|ddox)\b)"
)
_NAMED: Final = re.compile(CODE_TOOLS, re.IGNORECASE)


def is_code_tool(generator: str | None) -> bool:
    """Whether the tool that made a page documents program code."""
    return _NAMED.search(generator or "") is not None
