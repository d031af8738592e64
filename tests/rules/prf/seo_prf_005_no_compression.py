"""Tables of SEO-PRF-005."""

from tests.rules.builders import answer, case, page

FAILS = {
    "a large page as it is": case(page(bytes=10_001), seen={"bytes": 10_001, "contentEncoding": None}, says="10 KB"),
    "identity is no compression": case(page(bytes=50_000, content_encoding="identity")),
}
PASSES = {
    "a small page": case(page(bytes=10_000)),
    "gzip": case(page(bytes=50_000, content_encoding="gzip")),
    "Brotli": case(page(bytes=50_000, content_encoding="br")),
    "zstd": case(page(bytes=50_000, content_encoding="zstd")),
}
NOT_APPLICABLE = {
    "a large error": case(answer("/a", 404, bytes=50_000)),
    "a page with noindex": case(page(bytes=50_000, robots_meta=[("robots", "noindex")])),
}
TABLES = {"SEO-PRF-005": (FAILS, PASSES, NOT_APPLICABLE)}
