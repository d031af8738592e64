"""What kind of page an address holds, told from its address, its CMS's body classes and a small lexicon.

A kind is only named where the signs are plain; most pages have none. Lists, baskets and legal texts are judged
more mildly by some rules, so a wrong kind would hide a fault: when in doubt there is none.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final, Literal, NamedTuple
from urllib.parse import unquote, urlsplit

Kind = Literal["legal", "archive", "empty_archive", "account", "search", "contact", "about", "media"]


class PageKind(NamedTuple):
    """``legal_kind`` is set for legal pages only: imprint, privacy, terms, cookies, withdrawal, shipping, disclaimer."""

    kind: Kind | None = None
    legal_kind: str | None = None


class Advice(NamedTuple):
    """What to do about the description of a page of a special kind (specification 2.4)."""

    page_kind: str
    legal_kind: str | None
    recommended: str
    message: str


_NO_KIND: Final = PageKind()


def _segments(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Last path segments, lower case, per kind; English, German, French, Spanish, Italian, Dutch, Portuguese, Polish.
_LEGAL: Final[Mapping[str, frozenset[str]]] = {
    "imprint": _segments("imprint impressum mentions-legales aviso-legal note-legali legal-notice legal colofon"),
    "privacy": _segments(
        "privacy privacy-policy privacy-notice data-protection datenschutz datenschutzerklaerung datenschutzerklärung"
        " politique-de-confidentialite confidentialite politica-de-privacidad informativa-privacy privacybeleid"
        " politica-de-privacidade polityka-prywatnosci"
    ),
    "terms": _segments(
        "terms terms-of-service terms-of-use terms-and-conditions terms-conditions tos agb nutzungsbedingungen"
        " conditions-generales cgv cgu terminos-y-condiciones termini-e-condizioni algemene-voorwaarden regulamin"
    ),
    "cookies": _segments("cookies cookie-policy cookie-richtlinie cookie-settings politique-de-cookies cookiebeleid"),
    "withdrawal": _segments(
        "refund-policy refunds return-policy returns withdrawal right-of-withdrawal widerruf widerrufsrecht"
        " widerrufsbelehrung"
    ),
    "shipping": _segments("shipping-policy shipping versand versandkosten delivery-policy"),
    "disclaimer": _segments("disclaimer haftungsausschluss"),
}
_LEGAL_BY_SEGMENT: Final = {segment: kind for kind, segments in _LEGAL.items() for segment in segments}
_ACCOUNT: Final = _segments(
    "login log-in signin sign-in signup sign-up register registration account my-account logout lost-password"
    " reset-password cart basket checkout wishlist wp-login.php anmelden registrieren konto mein-konto warenkorb kasse"
    " merkzettel connexion inscription mon-compte panier commande mi-cuenta carrito finalizar-compra carrello"
    " mio-account winkelwagen afrekenen"
)
_SEARCH: Final = _segments("search suche recherche buscar cerca zoeken search-results")
_CONTACT: Final = _segments(
    "contact contact-us contacts kontakt contacto contatti contactez-nous nous-contacter kontakty contato"
)
_ABOUT: Final = _segments(
    "about about-us about-me ueber-uns über-uns uber-uns ueber-mich a-propos qui-sommes-nous sobre-nosotros quienes-somos"
    " chi-siamo over-ons sobre-nos o-nas company unternehmen"
)
# A list of posts: the segment before the last one (WordPress and most blogs).
_LIST_BASES: Final = _segments(
    "category tag author topic topics kategorie schlagwort autor categorie etiquette auteur categoria etiqueta"
    " categories tags authors"
)
_ACCOUNT_CLASSES: Final = _segments("woocommerce-cart woocommerce-checkout woocommerce-account login template-cart")
_MEDIA_CLASSES: Final = _segments("attachment single-attachment")
_EMPTY: Final = re.compile(
    r"\b(?:nothing (?:was )?found|no (?:posts|products|entries|articles|results|items)(?: were)? (?:found|yet)"
    r"|it seems we can.?t find what you.?re looking for|keine (?:beiträge|produkte|einträge|artikel|ergebnisse)"
    r"|nichts gefunden|aucun (?:article|produit|résultat)|no se (?:han )?encontr|nessun (?:articolo|prodotto|risultato)"
    r"|geen (?:berichten|producten|resultaten))",
    re.IGNORECASE,
)
_PAGE_NUMBER: Final = re.compile(r"/page/\d+/?$")


def detect(url: str, *, body_class: str, text: str, headings: Sequence[tuple[int, str]]) -> PageKind:
    """The kind of a page. ``text`` is the beginning of its main text; ``headings`` (level, text) in order."""
    parts = urlsplit(url)
    path = _PAGE_NUMBER.sub("", parts.path)
    segments = [segment for segment in unquote(path).lower().split("/") if segment]
    last = segments[-1].removesuffix(".html").removesuffix(".php").removesuffix(".htm") if segments else ""
    classes = frozenset(body_class.lower().split()) if body_class else frozenset()
    if classes & _MEDIA_CLASSES:
        return PageKind("media")
    if last in _LEGAL_BY_SEGMENT:
        return PageKind("legal", _LEGAL_BY_SEGMENT[last])
    if classes & _ACCOUNT_CLASSES or last in _ACCOUNT or (segments and segments[0] in ("account", "my-account")):
        return PageKind("account")
    if _is_search(last, classes, parts.query):
        return PageKind("search")
    if _is_archive(segments, classes):
        return PageKind("empty_archive" if _is_empty(text, headings) else "archive")
    if last in _CONTACT:
        return PageKind("contact")
    if last in _ABOUT:
        return PageKind("about")
    return _NO_KIND


def _is_search(last: str, classes: Collection[str], query: str) -> bool:
    return last in _SEARCH or query.startswith("s=") or "search-results" in classes or "search-no-results" in classes


def _is_archive(segments: Sequence[str], classes: Collection[str]) -> bool:
    if "archive" in classes:
        # Shops list their products as archives too; those pages sell and deserve a description.
        return "tax-product_cat" not in classes and "post-type-archive-product" not in classes
    return len(segments) >= 2 and segments[-2] in _LIST_BASES


def _is_empty(text: str, headings: Sequence[tuple[int, str]]) -> bool:
    if _EMPTY.search(text):
        return True
    return any(_EMPTY.search(heading) for _, heading in headings)


def description_advice(found: PageKind) -> Advice | None:
    """What to do about a missing description on a page of this kind; None for ordinary pages."""
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
            "This is a list of posts: search engines write their own snippet for it. Leave it, or set it to noindex.",
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
