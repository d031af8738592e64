"""Tables of SEO-CON-008."""

from tests.rules.builders import address, case, page

FAILS = {
    "a log-in page": case(page("/account/login/"), seen={"pageKind": "account"}, says="set it to noindex"),
    "a basket": case(page("/warenkorb")),
    "internal search": case(page("/?s=tents"), seen={"pageKind": "search"}, says="internal search results"),
    "told by its body class": case(page("/c", body_class="page woocommerce-checkout")),
}
PASSES = {
    "a page": case(page()),
    "a page to sign up": case(page("/register")),
    "another address is canonical": case(page("/search?q=x", canonicals=[("", address("/"), "html")]), page("/")),
}
NOT_APPLICABLE = {
    "a log-in page with noindex": case(page("/login", robots_meta=[("robots", "noindex")])),
}
TABLES = {"SEO-CON-008": (FAILS, PASSES, NOT_APPLICABLE)}
