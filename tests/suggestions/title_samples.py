"""Websites and words that the tests of suggested titles share."""

from chalicelib.domain.page.stop_words import STOP_WORDS
from chalicelib.domain.page.widths import title_px
from chalicelib.suggestions.shortened_titles import shortened
from chalicelib.suggestions.title_parts import SharedTitle
from chalicelib.suggestions.titles import WIDEST_PX, PageTitle

ACME = SharedTitle(" | Acme Outdoor", frozenset({"acmeoutdoor", "acme"}), frozenset({"home", "welcome", "untitled"}))
NOBODY = SharedTitle()
ERLANG = SharedTitle(None, beginning="Erlang -- ", names=frozenset({"erlang"}))
PLAIN = SharedTitle(name="Acme Handbook")

NOUNS = {
    "en": "hiking boots rain jackets sleeping bags walking poles winter trails mountain huts summit routes".split(),
    "de": "Wanderschuhe Regenjacken Schlafsäcke Trekkingstöcke Winterwege Berghütten Gipfeltouren Größen".split(),
    "fr": "chaussures randonnée vestes sacs couchage bâtons sentiers refuges itinéraires sommets été".split(),
    "es": "botas senderismo chaquetas sacos dormir bastones senderos refugios rutas montaña otoño".split(),
    "it": "scarponi escursionismo giacche sacchi bastoncini sentieri rifugi percorsi montagna città".split(),
    "nl": "wandelschoenen regenjassen slaapzakken wandelstokken winterpaden berghutten toppen routes".split(),
    "pt": "botas caminhada casacos sacos bastões trilhos abrigos percursos montanha verão".split(),
    "pl": "buty trekkingowe kurtki śpiwory kijki szlaki schroniska trasy szczyty góry żółte".split(),
}
SMALL = {lang: sorted(words)[:40] for lang, words in STOP_WORDS.items()}


def best(title: str, *, h1: str = "", slug: str = "page", lang: str = "en", shared: SharedTitle = ACME) -> str | None:
    """The first candidate for a title that is too wide."""
    assert title_px(title) > WIDEST_PX
    found = shortened(PageTitle(f"https://a.example/{slug}", title, h1 or None, None, lang), shared)
    return found[0].text if found else None
