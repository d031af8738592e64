"""Decides whether a page really is of the kind that its address suggests. A search page must have a search form or
results; a log-in or basket page must have the fields or buttons for it.

An article about a search algorithm may have the address ``/search.html``, and an article about shopping baskets
``/cart/``. The check runs only if the address suggests such a kind, which is rare.
"""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from selectolax.lexbor import LexborNode

from chalicelib.domain.page.page_kinds import Kind, is_account_name, named_by_address


def _names(names: str) -> frozenset[str]:
    return frozenset(name.casefold() for name in names.split("|"))


_DEEPEST: Final = 200  # ancestors of a button that are checked
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
# Besides its name, an account page contains fields of an address or a card.
_OF_A_CUSTOMER: Final = (
    'input[type="email"],input[type="tel"],input[autocomplete*="address"],input[autocomplete^="cc-"],'
    'input[autocomplete*="name"],input[name*="postcode"],input[name*="zip"],input[name*="address"],'
    'input[name*="email"],form[action*="logout"]'
)
_LONGEST_NAME: Final = 100
_EMPTY_BASKET: Final = re.compile(
    r"your (?:shopping )?(?:cart|basket|bag) is (?:currently )?empty|warenkorb ist (?:derzeit |noch |momentan )?leer"
    r"|votre panier est (?:actuellement )?vide|(?:tu|su) (?:carrito|cesta)(?: de la? compras?)? está vací[oa]"
    r"|il tuo carrello è (?:attualmente )?vuoto|winkel(?:wagen|mand) is (?:momenteel |nog )?leeg"
    r"|seu carrinho está vazio|koszyk jest (?:obecnie )?pusty",
    re.IGNORECASE,
)


# Pages that scripts fill have no form: their name and their only action identify them.
_YOURS: Final = _names(
    "your cart|my cart|your shopping cart|my shopping cart|your basket|my basket|your shopping basket|your bag"
    "|your shopping bag|my bag|shopping bag|your order summary|ihr warenkorb|dein warenkorb|mein warenkorb"
    "|votre panier|mon panier|tu carrito|su carrito|mi carrito|tu cesta|su cesta|il tuo carrello|il mio carrello"
    "|je winkelwagen|uw winkelwagen|mijn winkelwagen|je winkelmand|seu carrinho|o seu carrinho|meu carrinho"
    "|twój koszyk|mój koszyk"
)
_CALLED: Final = _YOURS | _names(
    "cart|shopping cart|basket|shopping basket|checkout|warenkorb|einkaufswagen|kasse|panier|carrito|cesta"
    "|carrito de compras|cesta de la compra|carrello|carrello della spesa|winkelwagen|winkelmand|carrinho"
    "|carrinho de compras|koszyk"
)
_ON: Final = _names(
    "proceed to checkout|go to checkout|continue to checkout|secure checkout|checkout securely|place order"
    "|place your order|complete purchase|complete your order|zur kasse gehen|weiter zur kasse|zur kasse|jetzt kaufen"
    "|zahlungspflichtig bestellen|valider la commande|valider mon panier|passer la commande|passer commande"
    "|procéder au paiement|tramitar pedido|realizar pedido|finalizar compra|ir a la caja|procedi all'acquisto"
    "|procedi al checkout|vai alla cassa|procedi all'ordine|verder naar afrekenen|naar de kassa|doorgaan naar afrekenen"
    "|finalizar a compra|ir para o checkout|przejdź do kasy|zamawiam i płacę|kupuję i płacę"
)
_LOG_IN_CALLED: Final = _names(
    "log in|login|sign in|my account|your account|anmelden|einloggen|mein konto|ihr konto|connexion|se connecter"
    "|mon compte|iniciar sesión|mi cuenta|accedi|il mio account|inloggen|mijn account|entrar|minha conta|zaloguj się"
    "|moje konto"
)
_LOG_IN_WITH: Final = re.compile(
    r"(?:sign in|log in|continue|mit|anmelden mit|continuer avec|continuar con|continua con|continuar com|doorgaan met)"
    r"(?: with)? (?:google|apple|facebook|microsoft|paypal|amazon)(?: anmelden)?",
    re.IGNORECASE,
)
_DONE_THERE: Final = _names(
    "log out|sign out|forgot password|forgot your password|lost your password|abmelden|ausloggen|passwort vergessen"
    "|se déconnecter|mot de passe oublié|cerrar sesión|he olvidado mi contraseña|esci|password dimenticata|uitloggen"
    "|wachtwoord vergeten|sair|esqueceu a senha|wyloguj się|nie pamiętasz hasła"
)
_MONEY: Final = re.compile(
    r"(?:[€$£¥]|\b(?:EUR|USD|GBP|CHF|PLN|zł)\b)\s?\d|\d[\d.,]*\s?(?:[€$£¥]|\b(?:EUR|USD|GBP|CHF|PLN)\b|zł)"
)
_BUTTONS: Final = 'a[href],button,input[type="submit"],input[type="button"],[role="button"]'
_AROUND: Final = frozenset({"nav", "header", "footer", "aside"})
_MOST_BUTTONS: Final = 300
_MARKS: Final = " .:!?→›»>"
_COUNT: Final = re.compile(r"\s*[([]?\d+(?:\s*(?:items?|artikel|articles?))?[)\]]?$", re.IGNORECASE)


def shown_by_markup(kind: Kind, url: str, root: LexborNode) -> bool:
    """Whether the markup proves the kind: a search with results, the fields of a log-in or basket, or the name of a
    log-in or basket together with its button."""
    if kind == "search":
        if not _asks(url) and root.css_first("pre") is not None:
            return False  # the manual of a search field
        return root.css_first(_SEARCH_FIELDS) is not None and (_asks(url) or root.css_first(_RESULTS) is not None)
    if root.css_first(_LOG_IN) is not None or root.css_first(_BASKET) is not None or _leads_on(root):
        return True
    if not _is_called_account(root):
        return False
    # A manual may have chapters with such names, and tables in them; its addresses do not name the kind.
    signs = _OF_A_CUSTOMER if named_by_address(url) is None else f"{_OF_A_CUSTOMER},table"
    return any(not _is_around(node) for node in root.css(signs)[:_MOST_BUTTONS])


def _is_called_account(root: LexborNode) -> bool:
    """Whether the main heading or the title is a usual name of account pages."""
    called = root.css_first("h1") or root.css_first("title")
    return called is not None and is_account_name(" ".join(called.text(separator=" ").split())[:_LONGEST_NAME])


def _leads_on(root: LexborNode) -> bool:
    """Whether the page has the name of a basket or a log-in, and its button in the content. Both are required: an
    article about baskets may have the name or mention the button. An article called "Cart" shows no amount to pay."""
    heading = root.css_first("h1")
    called = "" if heading is None else _name(heading.text(separator=" "))
    if called in _CALLED:
        if not any(text in _ON for text in _buttons(root)):
            return False
        return called in _YOURS or _MONEY.search(root.text(separator=" ")) is not None
    if called in _LOG_IN_CALLED:
        return any(text in _DONE_THERE or _LOG_IN_WITH.fullmatch(text) for text in _buttons(root))
    return False


def _buttons(root: LexborNode) -> Iterator[str]:
    """Yield the texts of buttons and links in the content."""
    for node in root.css(_BUTTONS)[:_MOST_BUTTONS]:
        if not _is_around(node):
            yield _name(node.attributes.get("value") or "" if node.tag == "input" else node.text(separator=" "))


def _is_around(node: LexborNode) -> bool:
    parent = node.parent
    for _ in range(_DEEPEST):
        if parent is None:
            return False
        if parent.tag in _AROUND or parent.attributes.get("role") == "navigation":
            return True
        parent = parent.parent
    return False


def _name(text: str) -> str:
    """Return the name in a text: lower case, without a count, an arrow or a full stop."""
    return _COUNT.sub("", " ".join(text.split())).strip(_MARKS).casefold()


def shown_by_text(kind: Kind, text: str) -> bool:
    """Whether the text is that of an empty basket. A crawler never sees a basket with goods."""
    return kind == "account" and _EMPTY_BASKET.search(text) is not None


def _asks(url: str) -> bool:
    """Whether the address itself contains the search term."""
    return any(name.lower() in _SEARCH_NAMES for name, _ in parse_qsl(urlsplit(url).query))
