"""Words of placeholder text: samples of themes, templates and website builders."""

import re
from typing import Final

from chalicelib.domain.page.text import fold

_FILLER: Final = re.compile(
    r"\b(?:lorem ipsum|dolor sit amet|consectetue?r|adipiscing|vestibulum|quis nostrud|suspendisse|pellentesque"
    r"|some quick example text|this is a (?:wider|longer) card|(?:text|heading|content|description) goes here"
    r"|insert (?:text|title|your)|your (?:text|title|company|name|content|tagline) here|enter your"
    r"|sample (?:text|title)|dummy (?:text|title)|placeholder|replace this (?:text|with)|(?:just another|hello) wor\w+"
    r"|blindtext|mustertext|beispieltext|texte d'exemple|texto de ejemplo|testo di esempio|texto de exemplo)\b"
    r"|^(?:(?:featured?|project|post|blog|article|card|page|section|product|service|company|team|news|slide|item)"
    r" (?:title|name|heading|subtitle|header)|(?:your|the) (?:website|company|business|brand|store|shop|site)"
    r"(?: name| title)?|(?:first|second|third) (?:featurette )?(?:heading|title|slide label)|(?:title|heading|card|item"
    r"|feature|service|project|post|slide|section|tab) ?(?:\d{1,2}|one|two|three)|site title|my (?:site|website"
    r"|blog|app)|app title|document title|new page|page title|web ?site title|react app|vite app|titel der seite)\W*$"
)


def is_filler(text: str) -> bool:
    """Whether a text is a sample text that nobody replaced, or contains words of such a sample text."""
    return _FILLER.search(fold(text)) is not None
