"""Builds the German section of the demo website."""

from typing import Final

from local.demo import german
from local.demo.model import COUNTRY, ORGANIZATION, POSTCODE, STREET, TELEPHONE, TOWN, Card, Page, Website
from local.demo.parts import article_page, paragraphs_html, sections, titled
from local.demo.writing import Writer

GERMAN_HOME_CRUMB: Final = ("Startseite", "/de/")


def add_german_pages(site: Website) -> None:
    """Add the German section. The hreflang annotations between its pages and the English pages are added later."""

    def writer(seed: str, patterns: tuple[str, ...]) -> Writer:
        return Writer(seed, german.WORDS, patterns)

    plain = (
        ("/de/", "home", "Zelte, Rucksäcke und gute Wege", "Alderfell auf Deutsch",
         "Zelte, Rucksäcke und Stiefel aus eigener Werkstatt, dazu ein Magazin mit Touren, Rat und Reparaturen."),
        ("/de/ueber-uns/", "page", "Über uns, Laden und Werkstatt", "Über Alderfell",
         "Wer wir sind, wie Alderfell in einem Schuppen begann und was wir allen versprechen, die bei uns kaufen."),
        ("/de/kontakt/", "contact", "Kontakt: schreiben oder anrufen", "Kontakt",
         "So erreichen Sie Laden und Werkstatt in Harrowdale: Anschrift, Telefon, Öffnungszeiten und Anfahrt."),
        ("/de/impressum/", "legal", "Impressum und Firmenangaben", "Impressum",
         "Firmenangaben, Verantwortliche und eingetragene Anschrift von Alderfell Outdoor Ltd nach dem Gesetz."),
        ("/de/datenschutz/", "legal", "Datenschutz: was wir speichern", "Datenschutz",
         "Welche Daten unser Laden wie lange und wozu speichert und wie Sie sie einsehen, ändern oder löschen lassen."),
        ("/de/versand/", "page", "Versandkosten und Lieferzeiten", "Versand",
         "Paketpreise, Zusteller und Lieferzeiten für Festland, Inseln und Ausland, ganz ohne Kleingedrucktes."),
        ("/de/magazin/", "listing", "Magazin für Touren und Zeltplätze", "Das Magazin",
         "Touren, Ratgeber und Reparaturen: alle deutschen Beiträge aus dem Magazin von Alderfell auf einen Blick."),
    )  # fmt: skip
    for path, kind, title, heading, description in plain:
        page = Page(
            path=path, kind=kind, title=titled(title), description=description, headings=[heading], lang="de",  # type: ignore[arg-type]
            nav_lang="de", blocks=paragraphs_html(writer(path, german.COMPANY).paragraphs(240)),
            crumbs=[] if path == "/de/" else [GERMAN_HOME_CRUMB], crumb=heading,
        )  # fmt: skip
        site.add(page)
    address = f"<address>{ORGANIZATION}, {STREET}, {TOWN} {POSTCODE}, {COUNTRY}. Telefon {TELEPHONE}</address>"
    for path in ("/de/kontakt/", "/de/impressum/"):
        site.page(path).blocks.insert(0, address)
    for number, (slug, label, heading, description, _) in enumerate(german.ARTICLES):
        path = f"/de/magazin/{slug}/"
        text = writer(path, german.ARTICLE)
        blocks = sections(text, german.SECTION_HEADINGS, text.random.randint(380, 480), 3)
        page = article_page(
            path, number, label, description, heading, blocks,
            [GERMAN_HOME_CRUMB, ("Magazin", "/de/magazin/")], lang="de",
        )  # fmt: skip
        site.add(page)
        site.page("/de/magazin/").cards.append(Card(path, heading, description))
    site.page("/de/").cards = [
        Card("/de/magazin/", "Das Magazin"),
        Card("/shop/", "Zum Laden (Englisch)"),
    ]
