"""Tables of SEO-ONP-004."""

from tests.rules.builders import case, page

NAMED = tuple(page(f"/{name}", title=f"Everything about tents, part {name} | Example") for name in "abcdef")

FAILS = {
    "one word": case(page(title="Gaiters"), seen={"characters": 7, "limit": 200}, says="7 characters"),
    "29 narrow characters": case(page(title="illicit little lilies fill it"), seen={"characters": 29}),
    "equal to a heading of four words": case(
        page(title="Warm in the rain", headings=[(1, "Warm in the rain")]), says="pixels"
    ),
    "a word and the website's name": case(page(title="Pan | Example"), *NAMED),
}
PASSES = {
    "30 characters": case(page(title="illicit little lilies fill it.")),
    "few characters, but wide ones": case(page(title="WWWWWWWWWWWWWW")),
    "ten Chinese characters": case(page(title="徒步旅行装备和帐篷指南")),
    "equal to a heading of one word": case(page(title="Contact", headings=[(1, "CONTACT")])),
    "equal to a heading of three words": case(page(title="Terms of use", headings=[(1, "Terms of use")])),
    "only the website's name": case(page(title="Example")),
    "a stock phrase": case(page(title="Untitled")),
    "no title": case(page(title=None)),
}
NOT_APPLICABLE = {
    "the home page": case(page("/", title="Tents")),
    "a copy of the home page": case(
        page("/index.html", title="Tents", text_hash="same"), page("/", title="Tents", text_hash="same")
    ),
    "a page with noindex": case(page(title="Gaiters", robots_meta=[("robots", "noindex")])),
}
TABLES = {"SEO-ONP-004": (FAILS, PASSES, NOT_APPLICABLE)}
