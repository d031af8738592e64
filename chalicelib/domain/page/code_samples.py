"""Finds code samples that are not in HTML elements for code. Documentation generators and highlighting scripts write
such samples."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from selectolax.lexbor import LexborNode

from chalicelib.domain.page.markup import Spans, tag_id
from chalicelib.domain.page.text import LISTING_SHARE

# Of Doxygen, Sphinx, Javadoc, AsciiDoc, DocBook, pandoc, GitHub and highlighting scripts.
_BOXES: Final = (
    "div.fragment,.memproto,.memname,.sig,.member-signature,.type-signature,.listingblock,.programlisting,.sourceCode,"
    ".literal-block,.code,.code-block,.codeblock,.blob-code,.syntaxhighlighter,.crayon-syntax,.CodeMirror,.highlighttable"
)

_MOST_FILES: Final = 5
_PRE: Final = tag_id("pre")
_DOXYGEN: Final = 'class="fragment"'
_DOXYGEN_BOX: Final = "div.fragment"


def take_out_boxes(source: LexborNode) -> list[str]:
    """Remove from a subtree the elements whose class marks them as code, and return their texts. Do not use the removed
    elements afterwards."""
    boxes = {node.mem_id for node in source.css(_BOXES)}
    if not boxes:
        return []
    # Boxes may be nested to any depth: only the outermost are read, in one pass over the subtree.
    outermost = Spans((at, node) for at, node in enumerate(source.traverse()) if node.mem_id in boxes).nodes
    texts = [box.text() for box in outermost]
    for box in outermost:
        box.decompose(False)
    return texts


def is_listing(
    source: LexborNode, codes: Sequence[tuple[int, LexborNode]], html: str, characters: int, seen: AbstractSet[str]
) -> bool:
    """Whether nearly all of a main text is one program, or the code of a few files.

    - ``characters``: the length of the main text.
    - ``codes``: the page's elements for code with their positions.
    - ``html``: the page's source.
    - ``seen``: the result of ``prefilter`` for the source.

    A page with many samples counts as an explanation, not as a listing.
    """
    boxes = [node for _, node in codes if node.tag_id == _PRE]
    if "doxygen_sample" in seen and _DOXYGEN in html:
        boxes += source.css(_DOXYGEN_BOX)
    if not 0 < len(boxes) <= _MOST_FILES:
        return False
    return sum(len(box.text()) for box in boxes) >= LISTING_SHARE * characters
