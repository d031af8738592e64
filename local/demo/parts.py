"""Helpers that the builders of the demo website's pages share."""

import re
from datetime import date, timedelta
from html import escape
from typing import Final

from local.demo import catalogue, vocabulary
from local.demo.model import BRAND, COUNTRY, ORGANIZATION, POSTCODE, STREET, TELEPHONE, TOWN, Page, Picture, Structured
from local.demo.writing import Writer

FIRST_DAY: Final = date(2025, 1, 6)
HOME_CRUMB: Final = ("Home", "/")


def organization() -> dict[str, object]:
    """Return the JSON-LD of the organization. The footer and the contact pages show the same name, address and
    telephone."""
    return {
        "@context": "https://schema.org",
        "@type": "Organization",
        "name": ORGANIZATION,
        "url": "{base}/",
        "logo": "{base}/images/logo.svg",
        "telephone": TELEPHONE,
        "address": {
            "@type": "PostalAddress",
            "streetAddress": STREET,
            "addressLocality": TOWN,
            "postalCode": POSTCODE,
            "addressCountry": COUNTRY,
        },
        "sameAs": ["{profiles}/alderfell"],
    }


def titled(text: str) -> str:
    return f"{text} | {BRAND}"


def paragraphs_html(paragraphs: list[str]) -> list[str]:
    return [f"<p>{escape(text, quote=False)}</p>" for text in paragraphs]


def english(seed: str, patterns: tuple[str, ...], **fixed: str) -> Writer:
    return Writer(seed, vocabulary.WORDS, patterns, **fixed)


def description_of(
    seed: str,
    patterns: tuple[str, ...],
    least: int,
    most: int,
    lead: str = "",
    **fixed: str,
) -> str:
    """Return a description: ``lead`` and a sentence, together between ``least`` and ``most`` characters."""
    writer = english(f"description {seed}", patterns, **fixed)
    for _ in range(500):
        text = lead + writer.sentence()
        if least <= len(text) <= most:
            return text
    raise ValueError(f"no sentence fits the description of {seed}")


def sections(writer: Writer, headings: tuple[str, ...], words: int, parts: int) -> list[str]:
    """Return an introduction and ``parts`` sections, each with an <h2>."""
    blocks = paragraphs_html(writer.paragraphs(words // (parts + 1)))
    for heading in writer.random.sample(headings, parts):
        blocks.append(f"<h2>{escape(heading, quote=False)}</h2>")
        blocks.extend(paragraphs_html(writer.paragraphs(words // (parts + 1))))
    return blocks


def slug_of(path: str) -> str:
    """Return a file name that is made of all parts of the path."""
    return re.sub(r"[^a-z0-9]+", "-", path).strip("-")


def article_page(
    path: str, number: int, label: str, description: str, heading: str, blocks: list[str],
    crumbs: list[tuple[str, str]], lang: str = "en",
) -> Page:  # fmt: skip
    author = catalogue.AUTHORS[number % len(catalogue.AUTHORS)]
    published = (FIRST_DAY - timedelta(days=300 - 7 * number)).isoformat()
    slug = path.strip("/").rsplit("/", 1)[-1]
    alt = f"Blick auf den Weg: {label}" if lang == "de" else f"View of the trail: {label}"
    return Page(
        path=path, kind="article", title=titled(label), description=description, headings=[heading], blocks=blocks,
        lang=lang, nav_lang="de" if lang == "de" else "en", crumbs=crumbs, crumb=label,
        pictures=[Picture(f"/images/{slug}-cover.svg", alt, 960, 540)],
        facts=[("Autor" if lang == "de" else "By", author), ("Datum" if lang == "de" else "Published", published)],
        structured=[
            Structured("Article", {
                "@context": "https://schema.org", "@type": "Article", "headline": heading,
                "description": description, "image": ["{base}" + f"/images/{slug}-cover.svg"],
                "datePublished": published, "dateModified": published,
                "author": {"@type": "Person", "name": author, "url": "{base}/about/"},
                "publisher": {"@type": "Organization", "name": ORGANIZATION, "url": "{base}/"},
                "mainEntityOfPage": "{base}" + path, "inLanguage": lang,
            }),
        ],
    )  # fmt: skip
