"""Code samples that stand in no element made for code: what generators and highlighting scripts write."""

from typing import Final

from selectolax.lexbor import LexborNode

from chalicelib.domain.page.markup import Spans

# Of Doxygen, Sphinx, Javadoc, AsciiDoc, DocBook, pandoc, GitHub and highlighting scripts.
_BOXES: Final = (
    "div.fragment,.memproto,.memname,.sig,.member-signature,.type-signature,.listingblock,.programlisting,.sourceCode,"
    ".literal-block,.code,.code-block,.codeblock,.blob-code,.syntaxhighlighter,.crayon-syntax,.CodeMirror,.highlighttable"
)


def take_out_boxes(source: LexborNode) -> list[str]:
    """Take what is code by its class out of a subtree; gives the texts. Nothing may read the boxes afterwards."""
    boxes = {node.mem_id for node in source.css(_BOXES)}
    if not boxes:
        return []
    # Boxes may be nested as deeply as a page likes: only the outermost are read, in one pass over the subtree.
    outermost = Spans((at, node) for at, node in enumerate(source.traverse()) if node.mem_id in boxes).nodes
    texts = [box.text() for box in outermost]
    for box in outermost:
        box.decompose(False)
    return texts
