"""The website's own name, and words of default titles such as "Home"."""

from typing import Final
from urllib.parse import urlsplit

from chalicelib.domain.crawl.hosts import registrable_domain
from chalicelib.domain.page.text import fold
from chalicelib.rules.context import Site
from chalicelib.rules.titles import MARKS, shared_ending, without_ending

# Default titles of content systems and page builders, in eight languages.
STOCK_TITLES: Final = frozenset(
    fold(title)
    for title in (
        "Home|Homepage|Home page|Welcome|Untitled|Untitled page|Untitled document|Index|Page|New page|My site|Site "
        "title|My WordPress|Just another WordPress site|Default title|Document|Title|Page title|Coming soon|Test|Blank "
        "page|Startseite|Willkommen|Unbenannt|Ohne Titel|Neue Seite|Seite|Unbenannte Seite|Meine Website"
        "|Accueil|Page d'accueil|Bienvenue|Sans titre|Nouvelle page|Page sans titre"
        "|Inicio|Página de inicio|Página principal|Bienvenido|Bienvenidos|Sin título|Nueva página|Página nueva"
        "|Pagina iniziale|Benvenuto|Benvenuti|Senza titolo|Nuova pagina|Pagina"
        "|Startpagina|Welkom|Naamloos|Nieuwe pagina|Zonder titel"
        "|Início|Página inicial|Bem-vindo|Sem título|Nova página|Página"
        "|Strona główna|Witamy|Bez tytułu|Nowa strona|Strona"
    ).split("|")
)
# Stock phrases that are good titles next to a name: the index of a manual, the pages of a book.
_FINE_WITH_NAME: Final = frozenset(
    map(fold, ("Index", "Page", "Document", "Title", "Test", "Seite", "Pagina", "Página"))
)


def names(site: Site) -> frozenset[str]:
    """Return the website's names, normalized by ``text.fold``: the ending that most titles share, the organization's
    name, the host and the domain."""
    found = set()
    ending = site.once(shared_ending)
    if ending:
        found.add(ending.strip(MARKS))
    home = site.addresses.get(site.home_url)
    if home is not None:
        found.add(home.identity.name)
    host = urlsplit(site.home_url).hostname or ""
    domain = registrable_domain(host) or host
    found.update((host, domain, domain.partition(".")[0]))
    return frozenset(fold(name) for name in found if name)


def is_stock(title: str, site: Site) -> bool:
    """Whether a title is only a stock phrase such as "Home". The ending that most of the website's titles share (such
    as "| Acme") may follow it."""
    folded = fold(title)
    if folded in STOCK_TITLES:
        return True
    ending = site.once(shared_ending)
    bare = without_ending(title, ending) if ending else None
    if bare is None:
        return False
    folded = fold(bare)
    return folded in STOCK_TITLES and folded not in _FINE_WITH_NAME
