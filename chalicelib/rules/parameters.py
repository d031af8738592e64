"""Parameters of addresses that do not identify a page. They say where a visitor came from, or how a list is sorted."""

from typing import Final

_TRACKING: Final = frozenset(
    "gclid gclsrc dclid gbraid wbraid fbclid msclkid yclid twclid ttclid li_fat_id igshid mc_cid mc_eid mkt_tok vero_id"
    " _ga _gl _hsenc _hsmi hsctatracking srsltid wickedid epik s_kwcid ref_src ncid cmpid icid"
    " phpsessid jsessionid sessionid session_id aspsessionid cfid cftoken".split()
)
_TRACKING_PREFIXES: Final = ("utm_", "pk_", "mtm_", "piwik_", "matomo_", "hsa_")
_SORTING: Final = frozenset("sort sort_by sortby sort-by sort_order sortorder orderby order_by order dir".split())
# Parameters of actions and selections that visitors make. An address with such a parameter is no page to be found.
_ACTING: Final = frozenset(
    "action add-to-cart add_to_cart add_to_wishlist remove_item replytocom unapproved do redirect_to redirect return_to"
    " returnto return_url next_url login logout print printable oldid diff share".split()
)


def _names(query: str) -> list[str]:
    return [part.partition("=")[0].lower() for part in query.split("&") if part]


def _says_nothing(name: str) -> bool:
    return name in _TRACKING or name in _SORTING or name.startswith(_TRACKING_PREFIXES)


def plain(url: str) -> str:
    """Return the address without parameters for tracking and sorting. Most addresses have none and are returned
    unchanged."""
    if "?" not in url:
        return url
    path, _, query = url.partition("?")
    kept = [part for part in query.split("&") if not _says_nothing(part.partition("=")[0].lower())]
    return f"{path}?{'&'.join(kept)}" if kept else path


def acts(url: str) -> bool:
    """Whether a parameter of the address makes a request change something, such as ``?add-to-cart=7`` or
    ``?action=edit``."""
    return "?" in url and any(name in _ACTING for name in _names(url.partition("?")[2]))
