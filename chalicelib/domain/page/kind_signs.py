"""Whether a page is what its address calls it: a search page searches, a log-in or basket has its fields.

An article about a search algorithm may stand at ``/search.html``, and one about shopping baskets at ``/cart/``. Asked
only where the address names such a kind, which few do.
"""

import re
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from selectolax.lexbor import LexborNode

from chalicelib.domain.page.page_kinds import Kind

_SEARCH_NAMES: Final = frozenset("q s query search searchword search_query keyword keywords keys term suche".split())
_SEARCH_FIELDS: Final = '[role="search"],input[type="search"],' + ",".join(
    f'input[name="{name}"]' for name in sorted(_SEARCH_NAMES)
)
_RESULTS: Final = '[class*="earch"][class*="esult"],[id*="earch"][id*="esult"],#results,.results'
_LOG_IN: Final = 'input[type="password"]'
_BASKET: Final = (
    'form[action*="cart"],form[action*="checkout"],form[action*="basket"],input[name*="quantity"],input[name*="[qty]"],'
    'input[name="qty"]'
)
_EMPTY_BASKET: Final = re.compile(
    r"your (?:shopping )?(?:cart|basket|bag) is (?:currently )?empty|warenkorb ist (?:derzeit |noch |momentan )?leer"
    r"|votre panier est (?:actuellement )?vide|(?:tu|su) (?:carrito|cesta)(?: de la? compras?)? está vací[oa]"
    r"|il tuo carrello è (?:attualmente )?vuoto|winkel(?:wagen|mand) is (?:momenteel |nog )?leeg"
    r"|seu carrinho está vazio|koszyk jest (?:obecnie )?pusty",
    re.IGNORECASE,
)


def shown_by_markup(kind: Kind, url: str, root: LexborNode) -> bool:
    """Whether the page has the fields and boxes of such a page: a search with results, a log-in, a basket."""
    if kind == "search":
        return root.css_first(_SEARCH_FIELDS) is not None and (_asks(url) or root.css_first(_RESULTS) is not None)
    return root.css_first(_LOG_IN) is not None or root.css_first(_BASKET) is not None


def shown_by_text(kind: Kind, text: str) -> bool:
    """Whether the text is that of a basket with nothing in it, as every crawler finds it."""
    return kind == "account" and _EMPTY_BASKET.search(text) is not None


def _asks(url: str) -> bool:
    """Whether the address itself holds what is searched for."""
    return any(name.lower() in _SEARCH_NAMES for name, _ in parse_qsl(urlsplit(url).query))
