"""Detects walls: pages that a server sends instead of the requested page, such as a firewall's challenge, a refusal, or
a request to enable cookies."""

import re
from typing import Final

from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.text import fold

MOST_WORDS: Final = 120  # a wall says a few sentences; an article about walls says more
MOST_LINKS: Final = 3  # and has no menu: a page with one is the website's own

# The beginnings of titles of firewall pages, whatever else the page holds.
_BEGINNINGS: Final = (
    "just a moment...",
    "attention required! | cloudflare",
    "please wait... | cloudflare",
    "ddos-guard",
    "pardon our interruption",
    "access to this page has been denied",
    "human verification",
    "robot or human?",
    "one moment, please...",
    "checking your browser",
    "bot verification",
)
# Titles, up to a separator, of pages that are walls if they have hardly any text: those of servers, firewalls and
# plugins, in the languages in which they are delivered.
_TITLES: Final = frozenset(
    title.strip()
    for title in """
    access denied | access forbidden | forbidden | 403 forbidden | 403 | error 403 | 401 unauthorized | unauthorized |
    429 too many requests | too many requests | rate limited | request rejected | request blocked | blocked |
    you have been blocked | sorry, you have been blocked | security check | security verification |
    vercel security checkpoint | sucuri website firewall | are you a robot? | are you human? | verify you are human |
    captcha | client challenge | making sure you're not a bot! | cookies required | cookies are required |
    please enable cookies | enable cookies | cookies are disabled | cookies disabled | cookie check |
    enable javascript and cookies to continue | zugriff verweigert | zugriff gesperrt | bitte cookies aktivieren |
    cookies aktivieren | accès refusé | accès interdit | activez les cookies | veuillez activer les cookies |
    acceso denegado | acceso prohibido | habilite las cookies | accesso negato | abilita i cookie | toegang geweigerd |
    schakel cookies in | acesso negado | ative os cookies | odmowa dostępu | włącz obsługę cookies | åtkomst nekad |
    adgang nægtet | přístup odepřen | доступ запрещен | доступ запрещён | доступ ограничен | включите cookies |
    アクセスが拒否されました | 访问被拒绝 | 拒绝访问 | 访问被阻断
    """.split("|")
)
_SEPARATOR: Final = re.compile(r"\s(?:[|·»–—-]|::)\s")


def is_wall(facts: PageFacts) -> bool:
    """Whether the page is a wall, such as a firewall's challenge, that was sent instead of the requested page."""
    title = facts.title
    if title is None:
        return False
    if title.strip().lower().startswith(_BEGINNINGS):
        return True
    if facts.words > MOST_WORDS or len(facts.links) > MOST_LINKS:
        return False
    return fold(_SEPARATOR.split(title, 1)[0]).rstrip(" .!") in _PLAIN_TITLES


_PLAIN_TITLES: Final = frozenset(title.rstrip(" .!") for title in _TITLES)
