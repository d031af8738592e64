"""Detects the kind of a page from its address, from the classes that its CMS gives to ``<body>``, and from a small list
of words.

A page gets a kind only if the evidence is clear; most pages have none. Some rules judge lists, baskets and legal texts
more leniently, so a wrong kind would hide a fault. In case of doubt, a page gets no kind.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final, Literal, NamedTuple
from urllib.parse import unquote, urlsplit

import msgspec

from chalicelib import typed

_ACCOUNT_FILE: Final = Path(__file__).resolve().parents[2] / "data" / "account-pages.json"

Kind = Literal["legal", "archive", "empty_archive", "account", "search", "contact", "about", "media"]


class PageKind(NamedTuple):
    """The kind of a page.

    - ``legal_kind``: set for legal pages: imprint, privacy, terms, cookies, withdrawal, shipping or disclaimer.
    - ``shown``: whether the page's content shows its kind. If it is False, only the address suggests the kind, and the
      page may be an article. Rules then judge the page more leniently, but do not advise keeping it out of search
      results.
    """

    kind: Kind | None = None
    legal_kind: str | None = None
    shown: bool = True

    @property
    def certain(self) -> "PageKind":
        """Return the kind if the page itself shows it; else no kind."""
        return self if self.shown else _NO_KIND


class Advice(NamedTuple):
    """Advice on the description of a page of a special kind (legal, a list, an account page)."""

    page_kind: str
    legal_kind: str | None
    recommended: str
    message: str


_NO_KIND: Final = PageKind()


def _segments(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Last path segments, lower case, per kind; English, German, French, Spanish, Italian, Dutch, Portuguese, Polish.
_LEGAL: Final[Mapping[str, frozenset[str]]] = {
    "imprint": _segments(
        "imprint impressum legal-notice legal-notices legal mentions-legales mentions-légales aviso-legal note-legali"
        " colofon juridische-informatie informacoes-legais nota-prawna"
    ),
    "privacy": _segments(
        "privacy privacy-policy privacy-notice privacy-statement data-protection gdpr datenschutz datenschutzerklaerung"
        " datenschutzerklärung datenschutzhinweise politique-de-confidentialite politique-de-confidentialité"
        " confidentialite confidentialité vie-privee donnees-personnelles politica-de-privacidad política-de-privacidad"
        " aviso-de-privacidad privacidad proteccion-de-datos informativa-privacy informativa-sulla-privacy"
        " privacybeleid privacyverklaring privacy-beleid privacy-verklaring politica-de-privacidade"
        " política-de-privacidade privacidade polityka-prywatnosci polityka-prywatności rodo"
    ),
    "terms": _segments(
        "terms terms-of-service terms-of-use terms-and-conditions terms-conditions terms-of-sale tos agb"
        " nutzungsbedingungen allgemeine-geschaeftsbedingungen allgemeine-geschäftsbedingungen geschaeftsbedingungen"
        " conditions-generales conditions-générales conditions-generales-de-vente conditions-generales-dutilisation"
        " conditions-d-utilisation cgv cgu terminos-y-condiciones términos-y-condiciones condiciones-de-uso"
        " condiciones-generales condiciones-de-venta termini-e-condizioni condizioni-generali condizioni-di-vendita"
        " condizioni-duso algemene-voorwaarden gebruiksvoorwaarden termos-e-condicoes termos-e-condições termos-de-uso"
        " termos-de-servico regulamin"
    ),
    "cookies": _segments(
        "cookies cookie-policy cookies-policy cookie-notice cookie-settings cookie-richtlinie cookie-richtlinien"
        " politique-de-cookies politique-cookies gestion-des-cookies politica-de-cookies política-de-cookies"
        " informativa-cookie cookie-law cookiebeleid cookieverklaring polityka-cookies"
    ),
    "withdrawal": _segments(
        "refund-policy refunds refund-and-returns-policy refund_returns return-policy returns-policy returns withdrawal"
        " right-of-withdrawal widerruf widerrufsrecht widerrufsbelehrung droit-de-retractation droit-de-rétractation"
        " politica-de-devoluciones derecho-de-desistimiento diritto-di-recesso herroepingsrecht retourbeleid"
        " politica-de-devolucao direito-de-livre-resolucao prawo-odstapienia zwroty"
    ),
    "shipping": _segments(
        "shipping-policy shipping delivery-policy versand versandkosten versandbedingungen livraison envios"
        " politica-de-envios spedizione spedizioni verzending verzendkosten politica-de-envio dostawa"
    ),
    "disclaimer": _segments("disclaimer haftungsausschluss clause-de-non-responsabilite descargo-de-responsabilidad"),
}
_LEGAL_BY_SEGMENT: Final = {segment: kind for kind, segments in _LEGAL.items() for segment in segments}
# Main headings of such pages, word for word; for addresses that name nothing (/?page_id=3, /p/17).
_LEGAL_HEADINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "imprint": ("imprint", "impressum", "legal notice", "mentions légales", "aviso legal", "note legali", "colofon"),
    "privacy": (
        "privacy policy",
        "privacy notice",
        "privacy statement",
        "datenschutz",
        "datenschutzerklärung",
        "datenschutzhinweise",
        "politique de confidentialité",
        "política de privacidad",
        "aviso de privacidad",
        "informativa sulla privacy",
        "privacybeleid",
        "privacyverklaring",
        "política de privacidade",
        "polityka prywatności",
    ),
    "terms": (
        "terms and conditions",
        "terms & conditions",
        "terms of service",
        "terms of use",
        "agb",
        "allgemeine geschäftsbedingungen",
        "nutzungsbedingungen",
        "conditions générales",
        "conditions générales de vente",
        "conditions générales d'utilisation",
        "términos y condiciones",
        "condiciones de uso",
        "termini e condizioni",
        "condizioni generali di vendita",
        "algemene voorwaarden",
        "termos e condições",
        "termos de uso",
        "regulamin",
    ),
    "cookies": (
        "cookie policy",
        "cookie-richtlinie",
        "politique de cookies",
        "política de cookies",
        "informativa sui cookie",
        "cookiebeleid",
        "polityka cookies",
    ),
    "withdrawal": (
        "refund policy",
        "return policy",
        "right of withdrawal",
        "widerrufsrecht",
        "widerrufsbelehrung",
        "droit de rétractation",
        "derecho de desistimiento",
        "diritto di recesso",
        "herroepingsrecht",
        "direito de livre resolução",
        "prawo odstąpienia od umowy",
    ),
    "shipping": ("shipping policy", "versandkosten", "versandbedingungen"),
    "disclaimer": ("disclaimer", "haftungsausschluss"),
}
_LEGAL_BY_HEADING: Final = {name: kind for kind, names in _LEGAL_HEADINGS.items() for name in names}
_SEARCH: Final = _segments(
    "search search-results suche suchergebnisse recherche resultats-de-recherche buscar busqueda resultados-de-busqueda"
    " cerca ricerca zoeken zoekresultaten pesquisa pesquisar busca szukaj wyszukiwanie wyniki-wyszukiwania"
)
_CONTACT: Final = _segments(
    "contact contact-us contacts kontakt kontaktformular contacto contactar contatti contactez-nous nous-contacter"
    " kontakty contato contactos fale-conosco neem-contact-op"
)
_ABOUT: Final = _segments(
    "about about-us about-me ueber-uns über-uns uber-uns ueber-mich über-mich a-propos à-propos qui-sommes-nous"
    " sobre-nosotros quienes-somos quiénes-somos chi-siamo over-ons sobre-nos sobre-nós quem-somos o-nas o-firmie"
    " company unternehmen"
)
# A list of posts: the segment before the last one (WordPress and most blogs).
_LIST_BASES: Final = _segments(
    "category categories tag tags author authors topic topics kategorie kategorien schlagwort autor categorie catégorie"
    " etiquette étiquette auteur categoria categoría etiqueta autore kategoria tagi"
)
_ACCOUNT_CLASSES: Final = _segments("woocommerce-cart woocommerce-checkout woocommerce-account login template-cart")
_SEARCH_CLASSES: Final = _segments("search-results search-no-results")
_MEDIA_CLASSES: Final = _segments("attachment single-attachment")
# Texts of lists without entries. Entries may contain similar words ("No products I would buy again"), so the words must
# say that there are none here, or none yet.
_EMPTY: Final = re.compile(
    r"\b(?:nothing (?:was )?found|no (?:posts|products|entries|articles|results|items)(?: were)? (?:found|yet)"
    r"|no (?:posts|products|entries|articles|items)(?: available| published)?"
    r" (?:to (?:show|display)|(?:in|under|with|for|by|from) this (?:category|tag|archive|topic|section|author|list))\b"
    r"|(?:this|the) (?:category|archive|tag|list) is (?:currently |still )?empty\b"
    r"|it seems we can.?t find what you.?re looking for|keine (?:beiträge|produkte|einträge|artikel|ergebnisse)"
    r"|diese[rs]? (?:kategorie|archiv|schlagwort|liste) ist (?:noch |derzeit )?leer\b|nichts gefunden"
    r"|aucun (?:article|produit|résultat)|il n.y a pas (?:encore )?d(?:.articles?|e produits?)\b"
    r"|cette (?:catégorie|étiquette|liste) est (?:actuellement |encore )?vide\b"
    r"|no se (?:han )?encontr|(?:todavía|aún) no hay (?:entradas|artículos|productos)"
    r"|no hay (?:entradas|artículos|productos) en est[ea]\b"
    r"|nessun (?:articolo|prodotto|risultato)|non ci sono ancora (?:articoli|prodotti)"
    r"|non ci sono (?:articoli|prodotti) in quest"
    r"|geen (?:berichten|producten|resultaten)|nog geen artikelen|geen artikelen in deze"
    r"|nenhum (?:artigo|post|produto|resultado)|ainda não há (?:artigos|posts|produtos)"
    r"|não há (?:artigos|posts|produtos) nest[ae]\b"
    r"|brak (?:wpisów|produktów|artykułów|wyników)|nie ma jeszcze (?:wpisów|produktów|artykułów)|nie znaleziono)",
    re.IGNORECASE,
)
_PAGE_NUMBER: Final = re.compile(r"/page/\d+/?$")
_SUFFIX: Final = re.compile(r"(?:-\d)?(?:\.(?:html?|php|aspx?))?$")


def account_pages() -> "_AccountPages":
    """Load the usual names of account pages that are shipped with the service."""
    return _ACCOUNT


class _AccountPages(msgspec.Struct, frozen=True, rename="camel"):
    """The content of the file.

    - ``segments``: last parts of addresses.
    - ``segments_if_shown``: last parts that other pages have too.
    - ``names``: main headings and titles, by language.
    """

    version: str
    sources: tuple[str, ...]
    segments: frozenset[str]
    segments_if_shown: frozenset[str]
    names: Mapping[str, frozenset[str]]


_ACCOUNT: Final = typed.from_json(_ACCOUNT_FILE.read_bytes(), _AccountPages)
_ACCOUNT_NAMES: Final = frozenset(chain.from_iterable(_ACCOUNT.names.values()))
_TITLE_PARTS: Final = re.compile(r"\s+[|·•–—-]\s+")


def is_account_name(text: str) -> bool:
    """Whether a main heading, or the first part of a title, is a usual name of account pages."""
    return _TITLE_PARTS.split(text, maxsplit=1)[0].strip(" .:?!？").casefold() in _ACCOUNT_NAMES


def named_by_address(url: str) -> Kind | None:
    """Return ``account`` or ``search`` if the address suggests this kind. The page itself has to confirm the kind."""
    address, _, query = url.partition("?")
    segments, last = _segments_of(address[address.find("/", 8) :])
    if _is_account(segments, last) or last in _ACCOUNT.segments_if_shown:
        return "account"
    return "search" if last in _SEARCH or query.startswith("s=") else None


def _segments_of(path: str) -> tuple[list[str], str]:
    """Return the segments of a path in lower case, and the last one without its ending."""
    path = _PAGE_NUMBER.sub("", path) if "/page/" in path else path
    segments = [segment for segment in (unquote(path) if "%" in path else path).lower().split("/") if segment]
    # WordPress numbers a second page of the same name: privacy-policy-2.
    return segments, _SUFFIX.sub("", segments[-1]) if segments else ""


def _is_account(segments: Sequence[str], last: str) -> bool:
    return last in _ACCOUNT.segments or (bool(segments) and segments[0] in ("account", "my-account"))


def detect(
    url: str, *, body_class: str, text: str, headings: Sequence[tuple[int, str]], shown: bool | None = None
) -> PageKind:
    """Detect the kind of a page.

    - ``text``: the beginning of its main text.
    - ``headings``: (level, text) in order.
    - ``shown``: whether the page confirms the kind that its address suggests; None if not checked.
    """
    parts = urlsplit(url)
    segments, last = _segments_of(parts.path)
    classes = frozenset(body_class.lower().split()) if body_class else frozenset()
    if classes & _MEDIA_CLASSES:
        return PageKind("media")
    heading = next((name for level, name in headings if level == 1), "").strip().casefold()
    legal = _LEGAL_BY_SEGMENT.get(last) or _LEGAL_BY_HEADING.get(heading)
    if legal is not None:
        return PageKind("legal", legal)
    by_class = bool(classes & _ACCOUNT_CLASSES)
    if by_class or _is_account(segments, last):
        return PageKind("account", shown=by_class or bool(shown))
    if shown and (last in _ACCOUNT.segments_if_shown or is_account_name(heading)):
        return PageKind("account")
    by_class = bool(classes & _SEARCH_CLASSES)
    if by_class or last in _SEARCH or parts.query.startswith("s="):
        return PageKind("search", shown=by_class or bool(shown))
    by_class = _is_archive_by_class(classes)
    if by_class or ("archive" not in classes and _is_archive_by_address(segments)):
        empty = _is_empty(text, headings)
        return PageKind("empty_archive" if empty else "archive", shown=by_class or empty)
    if last in _CONTACT:
        return PageKind("contact")
    if last in _ABOUT:
        return PageKind("about")
    return _NO_KIND


def _is_archive_by_class(classes: Collection[str]) -> bool:
    # Shops list their products as archives too; those pages sell and deserve a description.
    return "archive" in classes and "tax-product_cat" not in classes and "post-type-archive-product" not in classes


def _is_archive_by_address(segments: Sequence[str]) -> bool:
    if len(segments) < 2 or segments[-2] not in _LIST_BASES:
        return False
    # A file in a deep folder is no list: manuals of program code have folders with such names.
    return len(segments) == 2 or not segments[-1].endswith((".html", ".htm"))


def _is_empty(text: str, headings: Sequence[tuple[int, str]]) -> bool:
    if _EMPTY.search(text):
        return True
    return any(_EMPTY.search(heading) for _, heading in headings)


def description_advice(found: PageKind) -> Advice | None:
    """Return advice on a missing description of a page of this kind; None for ordinary pages."""
    found = found.certain
    if found.kind == "legal":
        return Advice(
            "legal",
            found.legal_kind,
            "leave_or_noindex",
            "Legal pages are rarely searched for: leave the description out, or set the page to noindex.",
        )
    if found.kind == "archive":
        return Advice(
            "archive",
            None,
            "leave_or_noindex",
            "This is a list of posts: search engines write their own snippet for it. Leave the description out, or "
            "set the page to noindex.",
        )
    if found.kind == "empty_archive":
        return Advice(
            "empty_archive",
            None,
            "add_posts_or_noindex",
            "This list is empty: add posts to it, or set it to noindex until it has some.",
        )
    if found.kind == "account":
        return Advice(
            "account",
            None,
            "noindex",
            "Log-in, basket and checkout pages have no place in search results: set the page to noindex.",
        )
    return None
