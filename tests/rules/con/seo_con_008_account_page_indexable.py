"""Tables of SEO-CON-008."""

from tests.rules.builders import address, case, page

FAILS = {
    "a log-in page": case(
        page("/account/login/", shows_kind=True), seen={"pageKind": "account"}, says="set it to noindex"
    ),
    "a basket": case(page("/warenkorb", shows_kind=True)),
    "internal search": case(
        page("/?s=tents", shows_kind=True), seen={"pageKind": "search"}, says="internal search results"
    ),
    "told by its body class": case(page("/c", body_class="page woocommerce-checkout")),
}
PASSES = {
    "a page": case(page()),
    "a page to sign up": case(page("/register", shows_kind=True)),
    "an article about a search algorithm": case(page("/search.html", shows_kind=False)),
    "an article about baskets": case(page("/cart/", shows_kind=False)),
    "another address is canonical": case(
        page("/search?q=x", shows_kind=True, canonicals=[("", address("/"), "html")]), page("/")
    ),
}
NOT_APPLICABLE = {
    "nobody looked at more than the address": case(page("/login")),
    "a log-in page with noindex": case(page("/login", robots_meta=[("robots", "noindex")])),
}
TABLES = {"SEO-CON-008": (FAILS, PASSES, NOT_APPLICABLE)}
