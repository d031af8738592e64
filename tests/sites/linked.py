"""A small website whose faults lie in what its pages name: links, languages, canonical addresses, images, redirects.

The pages at its end hold most of them, so that audits of a small budget read none of these.
"""

from typing import Any

from tests.servers.wire import WireServer
from tests.workers.audit.websites import Site, html

SECTIONS = 4
OF_SECTION = 4
_XML = {"content_type": "application/xml"}
_HTML = {"content_type": "text/html; charset=utf-8"}


def linked_site() -> Site:
    """Its pages still lack the address of the server: see ``serve``."""
    return Site({})


def serve(site: Site, server: WireServer) -> None:
    """Fill the website with its pages, now that it is known where it is served."""
    base = server.url("")
    elsewhere = f"http://localhost:{server.port}"
    site.pages.update(_pages(base, elsewhere))


def _pages(base: str, elsewhere: str) -> dict[str, Any]:
    menu = [f"/s{number}" for number in range(SECTIONS)]
    pages: dict[str, Any] = {
        "/robots.txt": ("200 OK", {"content_type": "text/plain"}, _robots(base)),
        "/sitemap.xml": ("200 OK", _XML, _index(base)),
        "/sitemap-pages.xml": ("200 OK", _XML, _listed(base, ["/", *menu, "/de/a", "/orphan", "/old-listed"])),
        "/sitemap-more.xml": ("200 OK", _XML, _listed(base, ["/gone-listed", "/hidden", "/kept-out/listed", "/s0/p0"])),
        "/": html("Home of the linked website", *menu, "/languages", "/targets", "/kept-out/from-home"),
        "/languages": html(
            "All languages that there are", "/en/a", "/en/b", "/en/c", "/", head=_canonical(base, "/languages")
        ),
        "/targets": html("What the pages name", "/t/canonicals", "/t/elsewhere", "/t/images", "/t/redirects", "/t/odd"),
        "/orphan": html("Nobody links this page", "/"),
        "/hidden": html("A page that hides itself", "/", head='<meta name="robots" content="noindex">'),
        "/old": _redirect(base, "/s0"),
        "/old-listed": _redirect(base, "/older"),
        "/older": _redirect(base, "/s1"),
        "/round": _redirect(base, "/about"),
        "/about": _redirect(base, "/round"),
        "/broken": ("500 Internal Server Error", _HTML, "<html><body>broken</body></html>"),
        "/members": ("403 Forbidden", _HTML, "<html><body>members only</body></html>"),
        "/picture.png": ("200 OK", {"content_type": "image/png"}, b"\x89PNG" + b"0" * 100),
        "/large.png": ("200 OK", {"content_type": "image/png"}, b"\x89PNG" + b"0" * 600_000),
        "/leaflet.pdf": ("200 OK", {"content_type": "application/pdf"}, b"%PDF-1.4"),
        "/away": ("301 Moved Permanently", {"location": f"{elsewhere}/gone"}, b""),
        "/shop-away": ("302 Found", {"location": f"{elsewhere}/s0"}, b""),
    }
    for section in range(SECTIONS):
        entries = [f"/s{section}/p{number}" for number in range(OF_SECTION)]
        pages[f"/s{section}"] = html(f"Section number {section} of the website", *entries, "/")
        for number, entry in enumerate(entries):
            pages[entry] = _entry(section, number)
    pages.update(_languages(base))
    pages.update(_targets(base, elsewhere))
    return pages


def _entry(section: int, number: int) -> str:
    links = ["/", f"/s{section}", f"/s{section}/p{(number + 1) % OF_SECTION}"]
    if number == 3:
        links += ["/old", "/missing", f"/s{section}/p3/deep/er/page", "/kept-out/deep", "/members"]
    body = "".join(f"<p>Paragraph {part} of entry {number} says something of its own.</p>" for part in range(4))
    # All last entries have one title, and no description.
    title = "The last entry" if number == 3 else f"Entry {number} of section {section}"
    described = f"What entry {number} of section {section} is about, in a sentence of its own."
    head = "" if number == 3 else f'<meta name="description" content="{described}">'
    return html(title, *links, head=head, body=body)


def _languages(base: str) -> dict[str, Any]:
    def versions(*named: tuple[str, str]) -> str:
        return "".join(f'<link rel="alternate" hreflang="{lang}" href="{base}{path}">' for lang, path in named)

    return {
        "/en/a": html("First page in English", "/languages", head=versions(("en", "/en/a"), ("de", "/de/a"))),
        "/de/a": html("Erste Seite auf Deutsch", "/languages", head=versions(("de", "/de/a"), ("en", "/en/a"))),
        # No return link, and a version that is not there.
        "/en/b": html(
            "Second page in English", "/", head=versions(("en", "/en/b"), ("de", "/de/b"), ("fr", "/fr/gone"))
        ),
        "/de/b": html("Zweite Seite auf Deutsch", "/", head=versions(("de", "/de/b"))),
        # A redirect, a hidden page and one with another canonical address.
        "/en/c": html(
            "Third page in English",
            "/",
            head=versions(("en", "/en/c"), ("de", "/old"), ("fr", "/hidden"), ("es", "/t/canonical-elsewhere")),
        ),
    }


def _targets(base: str, elsewhere: str) -> dict[str, Any]:
    faulty = ["gone", "redirect", "hidden", "chain", "elsewhere"]
    return {
        "/t/canonicals": html("Pages with canonical addresses", *(f"/t/canonical-{name}" for name in faulty), "/"),
        "/t/canonical-gone": html("Its canonical address is gone", "/", head=_canonical(base, "/no-such-canonical")),
        "/t/canonical-redirect": html("Its canonical address redirects", "/", head=_canonical(base, "/older")),
        "/t/canonical-hidden": html("Its canonical address is hidden", "/", head=_canonical(base, "/kept-secret?x=1")),
        "/kept-secret?x=1": html("Only named as canonical", "/", head='<meta name="robots" content="noindex">'),
        "/t/canonical-chain": html(
            "Its canonical address has another", "/", head=_canonical(base, "/t/canonical-elsewhere")
        ),
        "/t/canonical-elsewhere": html("Not its own canonical address", "/", head=_canonical(base, "/s2")),
        "/t/elsewhere": html(
            "Links to other websites",
            f"{elsewhere}/gone",
            f"{elsewhere}/old",
            f"{elsewhere}/s0",
            f"{elsewhere}/away-again",
            "http://nowhere.invalid/",
            "/away",
            "/shop-away",
            "/leaflet.pdf",
            "/missing.pdf",
        ),
        "/away-again": ("301 Moved Permanently", {"location": f"{elsewhere}/gone-too"}, b""),
        "/t/images": html(
            "Images that are shown",
            "/picture.png",
            body='<img src="/picture.png" alt="A picture" width="10" height="10">'
            '<img src="/no-picture.png" alt="None" width="10" height="10">'
            '<img src="/large.png" alt="Large" width="1000" height="10">'
            f'<img src="{elsewhere}/no-picture-either.png" alt="None" width="10" height="10">',
        ),
        "/t/redirects": html("Links that lead on", "/old-listed", "/round", "/broken", "/old", "/t/late"),
        "/t/late": html("Five clicks from home", "/t/later", "/missing-late"),
        "/t/later": html("Six clicks from home", "/t/latest"),
        "/t/latest": html("Seven clicks from home", "/t/odd", "/kept-out/late"),
        "/t/odd": html(
            "Odd ways to lead on",
            "/s1?sort=name&view=list",
            body='<a href="/followed-by-nobody" rel="nofollow">nofollow</a><a href="/s3/p0?utm_source=odd">tracked</a>',
            head='<meta http-equiv="refresh" content="600; url=/t/refreshed">',
        ),
        "/t/refreshed": html("A refresh leads here", "/"),
        "/followed-by-nobody": html("Only a marked link leads here", "/"),
        "/s1?sort=name&view=list": html("Section number 1 of the website", "/", head=_canonical(base, "/s1")),
        "/s3/p0?utm_source=odd": _entry(3, 0),
    }


def _robots(base: str) -> str:
    return f"User-agent: *\nDisallow: /kept-out/\nSitemap: {base}/sitemap.xml\n"


def _index(base: str) -> str:
    files = ("/sitemap-pages.xml", "/sitemap-more.xml", "/sitemap-missing.xml")
    return (
        '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        + "".join(f"<sitemap><loc>{base}{file}</loc></sitemap>" for file in files)
        + "</sitemapindex>"
    )


def _listed(base: str, paths: list[str]) -> str:
    return (
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        + "".join(f"<url><loc>{base}{path}</loc></url>" for path in paths)
        + "</urlset>"
    )


def _redirect(base: str, path: str) -> tuple[str, dict[str, str], bytes]:
    return "301 Moved Permanently", {"location": base + path}, b""


def _canonical(base: str, path: str) -> str:
    return f'<link rel="canonical" href="{base}{path}">'
