"""Tables of SEO-ONP-008."""

from chalicelib.domain.page.facts import PageFacts
from tests.rules.builders import Case, case, page


def titled(
    count: int, pattern: str = "All about tents number {} | Acme", folder: str = "guide"
) -> tuple[PageFacts, ...]:
    return tuple(page(f"/{folder}/{number}", title=pattern.format(number)) for number in range(count))


def beside(title: str | None, count: int = 12, path: str = "/page") -> Case:
    """A page with this title among others that follow one template."""
    return case(page(path, title=title), *titled(count))


FAILS = {
    "without the ending": case(
        page(title="Tarps for beginners"),
        *titled(12),
        seen={"template": " | Acme", "seen": "without it", "titles": 12, "of": 13},
        says='" | Acme"',
    ),
    "another word of the ending": case(
        page(title="Tents of Acme"), *titled(12, "All about tents number {} | Acme Outdoor"), says="Acme Outdoor"
    ),
    "another separator": case(page(title="Tarps for beginners - Acme"), *titled(12), says='with "-" for a separator'),
    "the other way round": case(page(title="Acme | Tarps for beginners"), *titled(12), says="at the beginning"),
    "another separator on two pages": case(
        page(title="Tarps for beginners - Acme"),
        *titled(12),
        page("/other", title="Packs - Acme"),
        seen={"seen": 'with "-" for a separator', "titles": 12, "of": 14},
    ),
    "neither of two separators": case(
        page(title="Tarps for beginners"),
        *titled(12),
        *titled(3, "Packs {} - Acme", "packs"),
        seen={"seen": "without it", "titles": 12, "of": 16},
    ),
    "a template that begins with the name": case(
        page(title="Tarps for beginners"), *titled(12, "Acme: all about tents number {}"), seen={"template": "Acme: "}
    ),
}
PASSES = {
    "with the ending": beside("Tarps for beginners | Acme"),
    "with the ending in capitals": beside("Tarps for beginners | ACME"),
    "no title": beside(None),
    "a later page of a list": beside("All tents", path="/tents?page=2"),
    "the name in words": beside("Why people buy at Acme"),
    "the name in words, without the kind of document": case(
        page(title="Acme 2.1.5 demo: tents"), *titled(12, "Class {} - Acme API documentation")
    ),
    "only the name": beside("Acme"),
    "no room for the ending": beside("Waterproof hiking jackets, lightweight and packable, for long tours"),
    "another template": case(
        page("/de/4", title="Zelte für Anfänger | Acme Deutschland"),
        *titled(12),
        *titled(3, "Zelte, Teil {} | Acme Deutschland", "de"),
    ),
    "another separator on three pages": case(
        page(title="Tarps for beginners - Acme"), *titled(12), *titled(2, "Packs {} - Acme", "packs")
    ),
    "another separator at the beginning of three titles": case(
        page(title="Acme: Tarps"), *titled(12, "Acme - Tents {}"), *titled(2, "Acme: Packs {}", "packs")
    ),
}
NOT_APPLICABLE = {
    "the home page": beside("Tents and packs", path="/"),
    "a copy of the home page": case(
        page("/index.html", title="Tents and packs", text_hash="same"),
        page("/", title="Tents and packs", text_hash="same"),
        *titled(12),
    ),
    "a list in a frame beside the pages": case(
        page("/class_list.html", title="Class List", in_frame=True), *titled(12)
    ),
    "fewer than ten titles": beside("Tarps for beginners", 8),
    "one title on many pages": case(page(title="Tarps"), *titled(12, "Tents | Acme"), *titled(3, folder="more")),
    "different titles follow it, most pages do not": case(
        page(title="Tarps"), *titled(12), *titled(9, "Tents and packs", "more")
    ),
    "no template": case(page(title="Tarps"), *titled(6), *titled(6, "Nothing in common {}", "more")),
    "no separator has its share": case(
        page(title="Tarps for beginners"), *titled(9), *titled(6, "Packs {} - Acme", "packs")
    ),
    "a page with noindex": case(page(title="Tarps", robots_meta=[("robots", "noindex")]), *titled(12)),
}
TABLES = {"SEO-ONP-008": (FAILS, PASSES, NOT_APPLICABLE)}
