"""Tables of SEO-TEC-035."""

from typing import Any

from chalicelib.domain.page.rendered import Told
from tests.rules.builders import address, answer, case, page

HERE = address("/a")


def after(**changed: Any) -> dict[str, object]:
    """The page as it was in the browser: as the builder makes it, but for what changed."""
    same: dict[str, Any] = {"title": "Tents", "canonical": HERE}
    return {"rendered": {HERE: Told(400, 5, **(same | changed))}}


def sent(**facts: Any) -> Any:
    return page("/a", **({"title": "Tents", "canonicals": [(HERE, HERE, "html")]} | facts))


FAILS = {
    "another title": case(
        sent(),
        inputs=after(title="Tents | Alderfell"),
        seen={"changes": [{"what": "title", "before": "Tents", "after": "Tents | Alderfell"}]},
        says="Scripts change the title",
    ),
    "a title where there was none": case(sent(title=None), inputs=after(), says="from nothing"),
    "another canonical": case(
        sent(),
        inputs=after(canonical=address("/b")),
        says=address("/b"),
        seen={"changes": [{"what": "canonical address", "before": HERE, "after": address("/b")}]},
    ),
    "a canonical that goes": case(sent(), inputs=after(canonical=None), says="to nothing"),
    "noindex that comes": case(sent(), inputs=after(robots=("noindex",)), says='to "noindex"'),
    "a limit that goes": case(
        sent(robots_meta=[("robots", "max-snippet:20")]), inputs=after(), says='from "max-snippet:20"'
    ),
    "everything at once": case(
        sent(), inputs=after(title="Other", canonical=None, robots=("nofollow",)), says="robots directives"
    ),
}
PASSES = {
    "all as it was": case(sent(), inputs=after()),
    "words and links are another rule's": case(sent(words=0), inputs=after()),
    "directives that forbid nothing": case(
        sent(robots_meta=[("robots", "index, follow, max-image-preview:large")]), inputs=after()
    ),
    "no title before and none after": case(sent(title=""), inputs=after(title=None)),
}
NOT_APPLICABLE = {
    "nothing was rendered": case(sent()),
    "another page was rendered": case(page("/b"), inputs=after()),
    "an error": case(answer("/a", 404), inputs=after()),
}
TABLES = {"SEO-TEC-035": (FAILS, PASSES, NOT_APPLICABLE)}
