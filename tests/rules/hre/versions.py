"""Pages that name language versions of themselves."""

from typing import Any

from chalicelib.domain.page.facts import Hreflang, PageFacts
from tests.rules.builders import address, page


def naming(path: str, *versions: tuple[str, str], **changes: Any) -> PageFacts:
    """A page at ``path`` that names these versions: (language, path)."""
    return page(path, hreflang=[Hreflang(language, address(target)) for language, target in versions], **changes)


PAIR = (("en", "/a"), ("de", "/de/a"))
NO_VERSIONS = page("/a")
HIDDEN = [("robots", "noindex")]
