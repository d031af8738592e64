"""Tables of SEO-SEC-004."""

from tests.rules.builders import HOME, answer, case, page, site_case

ALL = {
    "content-security-policy": "default-src 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}

FAILS = {
    "none of them": site_case(
        page("/", headers={}),
        seen={
            "missing": ["Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy"],
            # Nothing that stops a website from working while it is served over http.
            "wanted": {
                "Content-Security-Policy": "frame-ancestors 'self'",
                "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "strict-origin-when-cross-origin",
            },
        },
        says="Content-Security-Policy, X-Content-Type-Options and Referrer-Policy",
    ),
    "one missing": site_case(
        page("/", headers={name: value for name, value in ALL.items() if name != "referrer-policy"}),
        seen={"missing": ["Referrer-Policy"], "wanted": {"Referrer-Policy": "strict-origin-when-cross-origin"}},
        says="send it",
    ),
    "an empty one": site_case(page("/", headers={**ALL, "content-security-policy": " "})),
}
PASSES = {
    "all": site_case(page("/", headers=ALL)),
    "missing on another page only": site_case(page("/", headers=ALL), page("/a", headers={})),
}
NOT_APPLICABLE = {
    "the home page was not read": site_case(page("/a")),
    "the home page fails": site_case(answer(HOME, 404)),
    "a page is not judged": case(page()),
}
TABLES = {"SEO-SEC-004": (FAILS, PASSES, NOT_APPLICABLE)}
