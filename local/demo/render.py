"""Turns the website into the answers that are served: pages, sitemaps, robots.txt, images, redirects."""

import gzip
import hashlib
from html import escape
from typing import Final, NamedTuple

from local.demo import markup
from local.demo.model import Page, Website
from local.demo.protocol import Answer, answer

COMPRESS_FROM: Final = 1_024  # bytes: smaller answers are not worth compressing
LARGE_PICTURE_BYTES: Final = 600_000
SITEMAP_NAMESPACE: Final = "http://www.sitemaps.org/schemas/sitemap/0.9"
# name of a child sitemap -> the prefixes of the paths that it lists; the last one lists all other paths
SITEMAPS: Final = (
    ("/sitemap-shop.xml.gz", ("/shop/",)),
    ("/sitemap-magazine.xml.gz", ("/magazine/", "/de/magazin/")),
    ("/sitemap-pages.xml", ()),
)
COLOURS: Final = ("#3f6b4f", "#6b5a3f", "#3f5a6b", "#7a4b3a", "#55603a", "#4a3f6b")


class Representation:
    """The answer of an address, plain and compressed. The request's Accept-Encoding decides which of them is served."""

    __slots__ = ("html", "plain", "squeezed")

    def __init__(self, plain: Answer, squeezed: Answer | None = None, *, html: bool = False) -> None:
        self.plain = plain
        self.squeezed = squeezed
        self.html = html


def representation(
    status: int, headers: dict[str, str], body: bytes, *, compress: bool = True, delay: float | None = 0.0,
    html: bool = False,
) -> Representation:  # fmt: skip
    """Make the answer of an address. If the body is long enough and ``compress`` is true, it is also compressed with
    gzip."""
    if not compress or len(body) < COMPRESS_FROM:
        return Representation(answer(status, headers, body, delay), html=html)
    varied = {**headers, "Vary": "Accept-Encoding"}
    squeezed = gzip.compress(body, compresslevel=6, mtime=0)
    return Representation(
        answer(status, varied, body, delay),
        answer(status, {**varied, "Content-Encoding": "gzip"}, squeezed, delay),
        html=html,
    )


class Addresses(NamedTuple):
    """Scheme, host and port of the website (``base``), and of the two other websites that it links to."""

    base: str
    profiles: str
    partner: str

    def fill(self, text: str) -> bytes:
        """Return the text with each placeholder replaced by its address."""
        for name, address in self._asdict().items():
            text = text.replace(f"{{{name}}}", address)
        return text.encode()


def render(site: Website, addresses: Addresses) -> dict[str, Representation]:
    """Render the answer of every address: path with query string -> answer."""
    base, fill = addresses.base, addresses.fill
    answers: dict[str, Representation] = {}
    for path, page in site.pages.items():
        answers[path] = render_page(site, page, addresses)
        for picture in page.pictures:
            if picture.src not in site.missing_pictures:
                answers.setdefault(picture.src, _picture(site, picture.src))
    answers["/images/logo.svg"] = answers["/favicon.svg"] = _picture(site, "/images/logo.svg")
    for path, (status, target) in site.redirects.items():
        location = target if "://" in target else base + target
        answers[path] = representation(status, {"Location": location, "Cache-Control": "no-cache"}, b"")
    for path, status in site.statuses.items():
        answers[path] = error(status)
    answers["/robots.txt"] = representation(
        200,
        {"Content-Type": "text/plain; charset=utf-8"},
        robots_txt(site, base).encode(),
    )
    if site.llms_txt is not None:
        answers["/llms.txt"] = representation(200, {"Content-Type": site.llms_txt_type}, fill(site.llms_txt))
    if site.sitemap:
        answers.update(_sitemaps(site, base))
    return answers


def error(status: int) -> Representation:
    """Make the error page with that status."""
    reasons = {
        403: "Forbidden",
        404: "Page not found",
        410: "Gone",
        500: "Server error",
        503: "Not available",
    }
    body = markup.error_html(status, reasons.get(status, "Error")).encode()
    return representation(
        status,
        {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store"},
        body,
    )


def robots_txt(site: Website, base: str) -> str:
    groups = ["\n".join([*(f"User-agent: {agent}" for agent in group.agents), *group.lines]) for group in site.robots]
    if site.sitemap and site.sitemap_in_robots:
        groups.append(f"Sitemap: {base}/sitemap.xml")
    return "\n\n".join(groups) + "\n"


def render_page(site: Website, page: Page, addresses: Addresses) -> Representation:
    """Render one page's answer."""
    if page.status != 200:
        return error(page.status)
    headers = {
        "Content-Type": "text/html; charset=utf-8",
        **site.headers,
        **page.headers,
    }
    body = addresses.fill(markup.page_html(site, page))
    return representation(200, headers, body, compress=page.compressed, delay=page.delay, html=True)


def _picture(site: Website, src: str) -> Representation:
    headers = {
        "Content-Type": "image/svg+xml",
        "Cache-Control": "public, max-age=31536000, immutable",
    }
    digest = hashlib.sha256(src.encode()).digest()
    first, second = COLOURS[digest[0] % len(COLOURS)], COLOURS[digest[1] % len(COLOURS)]
    hill = " ".join(f"{x * 80},{200 + digest[2 + x]}" for x in range(9))
    padding = ""
    if src in site.large_pictures:
        noise = b"".join(hashlib.sha256(b"%d" % number).digest() for number in range(LARGE_PICTURE_BYTES // 64))
        padding = f"<!-- {noise.hex()} -->"
    text = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 480"><rect width="640" height="480" fill="#e8e2d0"/>'
        f'<polygon points="0,480 {hill} 640,480" fill="{first}"/><circle cx="{80 + digest[12]}" cy="110" r="46" '
        f'fill="{second}"/>{padding}</svg>\n'
    )
    return representation(200, headers, text.encode(), compress=src not in site.large_pictures)


def _sitemaps(site: Website, base: str) -> dict[str, Representation]:
    address = base if site.sitemap_scheme is None else f"{site.sitemap_scheme}://{base.split('://', 1)[1]}"
    listed: dict[str, list[tuple[str, str]]] = {name: [] for name, _ in SITEMAPS}
    entries = [(page.path, page.lastmod) for page in site.pages.values() if page.in_sitemap]
    entries += [(path, "2024-11-15") for path in site.sitemap_more]
    for path, lastmod in entries:
        name = next(
            (name for name, starts in SITEMAPS if path.startswith(starts)),
            SITEMAPS[-1][0],
        )
        listed[name].append((path, site.one_lastmod or lastmod))
    answers = {}
    for name, rows in listed.items():
        urls = "".join(
            f"<url><loc>{escape(address + path)}</loc><lastmod>{lastmod}</lastmod></url>\n" for path, lastmod in rows
        )
        answers[name] = _xml(name, f'<urlset xmlns="{SITEMAP_NAMESPACE}">\n{urls}</urlset>\n')
    children = [*listed, *site.sitemap_children_more]
    index = "".join(f"<sitemap><loc>{escape(address + name)}</loc></sitemap>\n" for name in children)
    answers["/sitemap.xml"] = _xml(
        "/sitemap.xml",
        f'<sitemapindex xmlns="{SITEMAP_NAMESPACE}">\n{index}</sitemapindex>\n',
    )
    return answers


def _xml(name: str, text: str) -> Representation:
    body = ('<?xml version="1.0" encoding="UTF-8"?>\n' + text).encode()
    if name.endswith(".gz"):
        packed = gzip.compress(body, mtime=0)
        return representation(200, {"Content-Type": "application/gzip"}, packed, compress=False)
    return representation(200, {"Content-Type": "application/xml; charset=utf-8"}, body)
