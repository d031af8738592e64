"""The demo website's templates. They turn a page's data into HTML."""

import json
from html import escape
from typing import Final

from local.demo import catalogue
from local.demo.model import (
    BRAND,
    COUNTRY,
    ORGANIZATION,
    POSTCODE,
    STREET,
    TOWN,
    Card,
    Page,
    Picture,
    Website,
)

STYLE: Final = """
:root{--ink:#22302b;--paper:#fbfaf6;--moss:#3f6b4f;--line:#d9d5c7;--sand:#efeadb}
*{box-sizing:border-box}html{font:17px/1.6 Georgia,'Times New Roman',serif;color:var(--ink);background:var(--paper)}
body{margin:0}a{color:var(--moss);text-underline-offset:.15em}a:focus-visible{outline:3px solid var(--moss)}
header{display:flex;flex-wrap:wrap;gap:1rem 2rem;align-items:center;padding:1rem 4vw;border-bottom:1px solid var(--line)}
header .logo{display:flex;gap:.5rem;align-items:center;font-weight:700;text-decoration:none;color:inherit}
header nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;list-style:none;margin:0;padding:0}
header nav a{display:inline-block;padding:.4rem 0;text-decoration:none}
.breadcrumb{padding:.6rem 4vw;font-size:.85rem}.breadcrumb ol{display:flex;gap:.5rem;list-style:none;margin:0;padding:0}
.breadcrumb li+li::before{content:'/';margin-right:.5rem;color:#8a8676}
main{max-width:46rem;margin:0 auto;padding:1rem 4vw 3rem}h1{font-size:2.1rem;line-height:1.2}h2{margin-top:2.2rem}
main img{max-width:100%;height:auto;border-radius:.4rem;background:var(--sand)}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1.2rem;padding:1rem;background:var(--sand)}
.facts dt{font-weight:700}.facts dd{margin:0}.cards{display:grid;gap:1.2rem;padding:0;list-style:none}
.cards li{padding:1rem;border:1px solid var(--line);border-radius:.4rem;background:#fff}
.cards h3{margin:0 0 .3rem}.pager{display:flex;gap:.8rem;margin-top:2rem}
aside{max-width:46rem;margin:0 auto;padding:1rem 4vw}footer{padding:2rem 4vw;background:var(--ink);color:#f3f0e6}
footer a{color:#cfe3d4}footer ul{columns:3 10rem;list-style:none;padding:0}footer address{font-style:normal}
form{display:grid;gap:.8rem;max-width:24rem;margin:1.5rem 0}label{display:grid;gap:.2rem;font-size:.9rem}
input,select,textarea{font:inherit;padding:.5rem .7rem;border:1px solid var(--line);border-radius:.3rem;background:#fff}
button{font:inherit;padding:.6rem 1.4rem;border:0;border-radius:.3rem;background:var(--moss);color:#fff;cursor:pointer}
button:hover{filter:brightness(1.08)}button:disabled{opacity:.5;cursor:default}
table{width:100%;border-collapse:collapse;font-size:.95rem}th,td{padding:.4rem .6rem;border-bottom:1px solid var(--line)}
th{text-align:left;background:var(--sand)}blockquote{margin:1.5rem 0;padding-left:1rem;border-left:4px solid var(--moss)}
.swatches i{display:inline-block;width:.6rem;height:.6rem;background:var(--line)}.headline{font-size:2.1rem;line-height:1.2}
@media (prefers-color-scheme:dark){:root{--ink:#e9e6da;--paper:#1c2421;--moss:#9cc7aa;--line:#3c4742;--sand:#2a332f}
.cards li,input,select,textarea{background:#232c28;color:inherit}button{color:#16201b}}
@media print{header,footer,aside,.breadcrumb,.pager{display:none}main{max-width:none}a{color:inherit}}
@media (prefers-reduced-motion:reduce){*{transition:none!important;animation:none!important}}
@media (max-width:40rem){html{font-size:16px}header{padding:.8rem 5vw}footer ul{columns:2}}
""".strip()
LOGO: Final = (
    '<svg width="36" height="36" viewBox="0 0 36 36" role="img" aria-label="Alderfell"><title>Alderfell logo</title>'
    '<path d="M3 31 14 9l6 11 4-6 9 17z" fill="#3f6b4f"/><circle cx="27" cy="8" r="4" fill="#d08c3a"/></svg>'
)
NAVIGATION: Final = {
    "en": (
        ("Shop", "/shop/"),
        *((row[2], f"/shop/{row[0]}/") for row in catalogue.CATEGORIES),
        ("Magazine", "/magazine/"),
        *((row[2], f"/magazine/category/{row[0]}/") for row in catalogue.SECTIONS),
        ("Recipes", "/recipes/"),
        ("Regions", "/regions/"),
        ("Questions", "/questions/"),
        ("About", "/about/"),
        ("Contact", "/contact/"),
    ),
    "de": (
        ("Startseite", "/de/"),
        ("Magazin", "/de/magazin/"),
        ("Über uns", "/de/ueber-uns/"),
        ("Kontakt", "/de/kontakt/"),
    ),
}
FOOTER: Final = {
    "en": (
        ("About Alderfell", "/about/"), ("Contact us", "/contact/"), ("Imprint", "/imprint/"), ("Privacy", "/privacy/"),
        ("Shipping", "/shipping/"), ("Returns", "/returns/"), ("Warranty", "/warranty/"), ("Rental", "/rental/"),
        ("Newsletter", "/newsletter/"), ("Trail log", "/trail-log/"), ("Gear lists", "/gear-lists/"),
        ("Deutsch", "/de/"),
    ),
    "de": (
        ("Impressum", "/de/impressum/"), ("Datenschutz", "/de/datenschutz/"), ("Versand", "/de/versand/"),
        ("English", "/"),
    ),
}  # fmt: skip
ABOUT_AND_CONTACT: Final = frozenset({"/about/", "/contact/", "/de/ueber-uns/", "/de/kontakt/"})


def page_html(site: Website, page: Page) -> str:
    """Render the page as HTML. The placeholders ``{base}`` and ``{profiles}`` are filled in later."""
    lang = page.lang if page.html_lang is None else page.html_lang
    opening = f'<html lang="{escape(lang)}">' if lang else "<html>"
    body = _main(page) if page.bare else _framed(site, page)
    return (
        f"<!doctype html>\n{opening}\n<head>\n{_head(page)}\n</head>\n"
        f'<body class="kind-{page.kind}">\n{body}\n</body>\n</html>\n'
    )


def error_html(status: int, reason: str) -> str:
    """Return the page that is served with an error status."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{status} {reason} | {BRAND}</title>\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="robots" content="noindex">\n'
        f"</head>\n<body>\n<main><h1>{reason}</h1>\n"
        f'<p>There is nothing here. Please start again at the <a href="/">home page</a>.</p></main>\n</body>\n</html>\n'
    )


def json_ld(data: dict[str, object]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1).replace("</", "<\\/")


def _head(page: Page) -> str:
    canonicals = ["{base}" + page.path] if page.canonicals is None else page.canonicals
    tags = ['<meta charset="utf-8">']
    if page.title is not None:
        tags.append(f"<title>{escape(page.title, quote=False)}</title>")
    tags += [f"<title>{escape(text, quote=False)}</title>" for text in page.titles_more]
    if page.viewport:
        tags.append('<meta name="viewport" content="width=device-width, initial-scale=1">')
    descriptions = [text for text in (page.description, *page.descriptions_more) if text is not None]
    tags += [f'<meta name="description" content="{escape(text)}">' for text in descriptions]
    tags += [f'<meta name="{name}" content="{escape(content)}">' for name, content in page.robots]
    tags += [f'<link rel="canonical" href="{escape(href)}">' for href in canonicals]
    tags += [f'<link rel="alternate" hreflang="{code}" href="{{base}}{path}">' for code, path in page.alternates]
    if page.open_graph:
        picture = page.pictures[0].src if page.pictures else "/images/logo.svg"
        tags += [
            f'<meta property="og:title" content="{escape(_label(page))}">',
            f'<meta property="og:description" content="{escape(page.description or _label(page))}">',
            f'<meta property="og:image" content="{{base}}{picture}">',
            f'<meta property="og:url" content="{{base}}{escape(page.path)}">',
            f'<meta property="og:site_name" content="{BRAND}">',
        ]
    tags += [
        '<link rel="icon" href="/favicon.svg" type="image/svg+xml">',
        f"<style>\n{STYLE}\n</style>",
    ]
    for block in page.structured:
        text = json_ld(block.data)
        if block.broken:
            text = text.rstrip("}\n ") + ",\n}"
        tags.append(f'<script type="application/ld+json">\n{text}\n</script>')
    if page.crumbs and page.breadcrumb_markup and not page.bare:
        tags.append(f'<script type="application/ld+json">\n{json_ld(_breadcrumb_list(page))}\n</script>')
    return "\n".join(tags + page.head)


def _label(page: Page) -> str:
    return page.title or (page.headings[0] if page.headings else page.crumb)


def _breadcrumb_list(page: Page) -> dict[str, object]:
    trail = [*page.crumbs, (page.crumb, page.path)]
    return {
        "@context": "https://schema.org",
        "@type": "BreadcrumbList",
        "itemListElement": [
            {
                "@type": "ListItem",
                "position": number,
                "name": label,
                "item": "{base}" + path,
            }
            for number, (label, path) in enumerate(trail, 1)
        ],
    }


def _framed(site: Website, page: Page) -> str:
    home = "/de/" if page.nav_lang == "de" else "/"
    navigation = _link_list(site, NAVIGATION[page.nav_lang])
    parts = [f'<header>\n<a class="logo" href="{home}">{LOGO} {BRAND}</a>\n<nav>\n{navigation}\n</nav>\n</header>']
    if page.crumbs:
        trail = "".join(f'<li><a href="{path}">{escape(label)}</a></li>' for label, path in page.crumbs)
        parts.append(
            f'<nav class="breadcrumb" aria-label="Breadcrumb"><ol>{trail}'
            f'<li aria-current="page">{escape(page.crumb)}</li></ol></nav>'
        )
    parts.append(_main(page))
    if page.related:
        label = "Mehr davon" if page.lang == "de" else "Related"
        parts.append(f"<aside>\n<h2>{label}</h2>\n{_cards(page.related)}\n</aside>")
    telephone = site.footer_telephone
    parts.append(
        f"<footer>\n{_link_list(site, FOOTER[page.nav_lang])}\n<address>{ORGANIZATION}, {STREET}, {TOWN} {POSTCODE}, "
        f'{COUNTRY} · <a href="tel:{telephone.replace(" ", "")}">{telephone}</a></address>\n'
        f'<p><a href="{{profiles}}/alderfell" rel="me">Our profile</a></p>\n</footer>'
    )
    return "\n".join(parts)


def _link_list(site: Website, links: tuple[tuple[str, str], ...]) -> str:
    shown = [link for link in links if site.footer_links or link[1] not in ABOUT_AND_CONTACT]
    return "<ul>" + "".join(f'<li><a href="{path}">{escape(label)}</a></li>' for label, path in shown) + "</ul>"


def _main(page: Page) -> str:
    attributes = f" {page.main_attributes}" if page.main_attributes else ""
    parts = [f"<main{attributes}>"]
    parts += [f"<h1>{escape(text, quote=False)}</h1>" for text in page.headings]
    parts += [_picture(picture) for picture in page.pictures[:1]]
    if page.facts:
        rows = "".join(f"<dt>{escape(label)}</dt><dd>{escape(value)}</dd>" for label, value in page.facts)
        parts.append(f'<dl class="facts">{rows}</dl>')
    parts += page.blocks
    parts += [_picture(picture) for picture in page.pictures[1:]]
    if page.cards:
        parts.append(_cards(page.cards))
    if page.pager:
        links = "".join(f'<a href="{path}">Page {label}</a>' for label, path in page.pager if path != page.path)
        parts.append(f'<nav class="pager" aria-label="Pages">{links}</nav>')
    return "\n".join([*parts, *page.extra, "</main>"])


def _picture(picture: Picture) -> str:
    alt = "" if picture.alt is None else f' alt="{escape(picture.alt)}"'
    size = f' width="{picture.width}" height="{picture.height}"' if picture.sized else ""
    lazy = ' loading="lazy"' if picture.lazy else ""
    return f'<p><img src="{picture.src}"{alt}{size}{lazy}></p>'


def _cards(cards: list[Card]) -> str:
    items = []
    for card in cards:
        teaser = f"<p>{escape(card.teaser, quote=False)}</p>" if card.teaser else ""
        items.append(f'<li><p><a href="{escape(card.path)}">{escape(card.label)}</a></p>{teaser}</li>')
    return '<ul class="cards">' + "\n".join(items) + "</ul>"
