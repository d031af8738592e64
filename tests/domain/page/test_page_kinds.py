"""What kind of page an address holds."""

import pytest

from chalicelib.domain.page.page_kinds import PageKind, account_pages, description_advice, detect
from tests.domain.page.reading import page, read


def kind(path: str, *, body_class: str = "", text: str = "Some text", h1: str = "") -> PageKind:
    return detect(
        f"https://demo.test{path}", body_class=body_class, text=text, headings=[(1, h1)] if h1 else [(2, "Menu")]
    )


@pytest.mark.parametrize(
    ("path", "legal_kind"),
    [
        ("/imprint", "imprint"),
        ("/de/impressum/", "imprint"),
        ("/mentions-legales", "imprint"),
        ("/legal/privacy-policy-2.html", "privacy"),
        ("/datenschutzerkl%C3%A4rung", "privacy"),
        ("/politica-de-privacidad", "privacy"),
        ("/polityka-prywatnosci/", "privacy"),
        ("/policies/terms-of-service", "terms"),
        ("/termos-de-uso", "terms"),
        ("/regulamin", "terms"),
        ("/cookiebeleid", "cookies"),
        ("/diritto-di-recesso", "withdrawal"),
    ],
)
def test_legal_pages_are_recognised_by_their_address_in_eight_languages(path: str, legal_kind: str):
    assert kind(path) == PageKind("legal", legal_kind)


def test_a_legal_page_is_recognised_by_its_heading_if_the_address_is_unclear():
    assert kind("/?page_id=3", h1="Datenschutzerklärung") == PageKind("legal", "privacy")
    assert kind("/p/17", h1=" Terms and Conditions ") == PageKind("legal", "terms")


@pytest.mark.parametrize(
    "path", ["/login", "/warenkorb/", "/panier", "/mi-cuenta", "/carrello", "/winkelwagen", "/koszyk"]
)
def test_login_basket_and_checkout_are_account_pages(path: str):
    assert kind(path).kind == "account"


@pytest.mark.parametrize("path", ["/search?q=x", "/?s=shoes", "/suche", "/pesquisa", "/szukaj"])
def test_pages_of_search_results_are_search_pages(path: str):
    assert kind(path).kind == "search"


def test_an_archive_without_entries_is_classified_as_empty():
    classes = "archive category category-news category-3"
    assert kind("/category/news", body_class=classes).kind == "archive"
    assert kind("/category/news", body_class=classes, text="Nothing found").kind == "empty_archive"
    assert kind("/kategoria/nowe", text="Nie znaleziono wpisów").kind == "empty_archive"


@pytest.mark.parametrize(
    "text",
    [
        "No posts in this category yet. Come back soon.",
        "There are currently no articles in this topic.",
        "No products to show",
        "This category is empty.",
        "In dieser Kategorie gibt es noch keine Beiträge.",
        "Diese Kategorie ist noch leer.",
        "Il n’y a pas encore d’articles dans cette catégorie.",
        "Todavía no hay entradas en esta categoría.",
        "Non ci sono ancora articoli in questa categoria.",
        "Er zijn nog geen artikelen.",
        "Ainda não há artigos nesta categoria.",
        "W tej kategorii nie ma jeszcze wpisów.",
    ],
)
def test_an_archive_whose_text_says_it_is_empty_is_classified_as_empty(text: str):
    assert kind("/category/news", text=text).kind == "empty_archive"
    assert kind("/category/news", h1=text).kind == "empty_archive"


@pytest.mark.parametrize(
    "text",
    [
        "No posts about cats, please. Our moderators explain the new rules.",
        "Why no products of ours hold lead. Read how we test them.",
        "The first category is easy to fill. What is empty is the second.",
        "Por qué no hay productos como este en otras tiendas.",
        "There are no items I would rather carry than these.",
    ],
)
def test_an_archive_with_similar_words_in_its_entries_is_not_empty(text: str):
    assert kind("/category/news", text=text).kind == "archive"


@pytest.mark.parametrize(
    ("path", "h1"),
    [
        ("/blog/how-gdpr-changed-privacy", "How GDPR changed privacy"),
        ("/guide-to-terms-and-conditions", "A guide to terms and conditions"),
        ("/products/shopping-cart-blue", "Blue shopping cart"),
        ("/research", "Research"),
        ("/", "Privacy first"),
    ],
)
def test_pages_that_only_mention_legal_or_account_topics_have_no_kind(path: str, h1: str):
    assert kind(path, h1=h1) == PageKind()


ARTICLE = "<form><input name=q></form><main><h1>Search</h1><p>How a search tree is balanced.</p></main>"
BASKET = (
    "<main><h1>Your cart</h1><table><tr><th>Product<th>Price<tr><td>Tent<td>€ 249.00</table>"
    "<a href=/checkout>Proceed to checkout</a></main>"
)
LOG_IN = "<form action=/in><input type=email name=mail><input type=password name=word></form>"


@pytest.mark.parametrize(
    ("path", "body", "shown"),
    [
        ("/search.html", ARTICLE, False),
        ("/search.html", "<form><input name=q></form><div id=search-results></div><pre>Code</pre>", False),
        ("/search?q=tents", "<form><input name=q></form><pre>tents.open()</pre>", True),
        ("/search.html", "<form><input name=q></form><div id=search-results></div>", True),  # as Sphinx writes it
        ("/search", "<form role=search></form><ul class='SearchResults'></ul>", True),
        ("/search?q=tents", "<form><input name=q></form><p>Three tents</p>", True),
        ("/?s=tents", "<input type=search name=s><p>Three tents</p>", True),
        ("/search", "<div id=search-results><p>Results of our search for the best tents</p></div>", False),
        ("/search?page=2", ARTICLE, False),
        ("/login.html", "<main><h1>Log-in</h1><p>How a shell reads its files after a log-in.</p></main>", False),
        ("/login", LOG_IN, True),
        ("/konto/passwort-vergessen", "<form><input type=email></form>", False),
        ("/cart", "<main><h1>Cart</h1><p>What a shopping cart is, and how sessions keep it.</p></main>", False),
        ("/cart", "<form action=/cart/update><input name='updates[]'></form>", True),
        ("/panier", "<main><p>Votre panier est actuellement vide.</p></main>", True),
        ("/warenkorb/", "<main><p>Ihr Warenkorb ist leer.</p></main>", True),
        ("/tents", ARTICLE + LOG_IN, None),
        ("/cart", BASKET, True),
        (
            "/shop/cart/",
            BASKET.replace("Your cart", "Your Cart (2)").replace("<a ", "<button ").replace("</a>", "→</button>"),
            True,
        ),
        ("/cart", BASKET.replace("Your cart", "Cart"), True),  # with an amount to pay
        ("/warenkorb", "<main><h1>Ihr Warenkorb</h1><a href=/kasse>Zur Kasse gehen</a></main>", True),
        ("/checkout", "<main><h1>Checkout</h1><p>Total 49,00 €</p><button>Place order</button></main>", True),
        ("/login", "<main><h1>Log in</h1><button>Sign in with Google</button></main>", True),
        ("/my-account", "<main><h1>My account</h1><a href=/out>Log out</a></main>", True),
        # Articles and manuals about baskets, checkouts and log-ins.
        ("/cart", "<main><h1>Your cart</h1><p>Then press Proceed to checkout, and pay $49.</p></main>", False),
        (
            "/docs/cart",
            "<main><h1>Cart</h1><p>The block.</p><a href=/docs/checkout>Proceed to checkout</a></main>",
            False,
        ),
        ("/docs/cart", "<main><h1>Cart</h1><p>From $9.</p><a href=/docs/checkout>Checkout</a></main>", False),
        ("/cart", "<nav><a href=/checkout>Proceed to checkout</a></nav><main><h1>Your cart</h1></main>", False),
        ("/cart", "<main><h1>How your cart works</h1><p>$9</p><a href=/c>Proceed to checkout</a></main>", False),
        ("/login", "<main><h1>Log in</h1><a href=/docs/log-out>How to log out</a></main>", False),
        ("/login", "<header><a href=/out>Log out</a></header><main><h1>Login</h1><p>A shell.</p></main>", False),
        ("/about", BASKET, None),
    ],
)
def test_account_and_search_pages_are_confirmed_by_their_content(path: str, body: str, shown: bool | None):
    assert read(page("", body), url=f"https://demo.test{path}").shows_kind is shown


def test_a_file_deep_below_a_folder_with_an_archive_name_is_not_an_archive():
    assert kind("/category/news.html").kind == "archive"
    assert kind("/blog/category/news").kind == "archive"
    assert kind("/src-html/org/example/categories/Categories.html") == PageKind()
    assert kind("/docs/a/tags/tag_list.htm") == PageKind()


def test_an_archive_recognised_only_by_its_address_is_uncertain():
    assert kind("/category/news").certain == PageKind()
    assert kind("/category/news", body_class="archive category").certain.kind == "archive"
    assert kind("/category/news", text="Nothing found").certain.kind == "empty_archive"


def test_a_page_kind_recognised_only_by_its_address_is_uncertain():
    named = kind("/search.html")
    assert (named.kind, named.shown, named.certain) == ("search", False, PageKind())
    assert kind("/c", body_class="woocommerce-cart").certain.kind == "account"
    assert description_advice(kind("/login")) is None
    login = detect("https://demo.test/login", body_class="", text="", headings=(), shown=True)
    assert login.certain.kind == "account" and description_advice(login) is not None


def test_names_of_account_pages_are_known_in_at_least_twelve_languages() -> None:
    names = account_pages().names
    assert len(names) >= 12 and all(names.values())
    assert all(name == name.casefold() for listed in names.values() for name in listed)
    assert not account_pages().segments & account_pages().segments_if_shown


@pytest.mark.parametrize(
    ("path", "heading", "content"),
    [
        ("/order.html", "Order details", "<table><tr><td>1</td></tr></table>"),
        ("/address.html", "Address book", '<input name="postcode">'),
        ("/profile", "My profile", '<input type="email">'),
        ("/forgot-password", "Forgot your password?", '<input type="email">'),
        ("/orders/", "Мои заказы", "<table></table>"),
        ("/glomt-losenord", "Glömt lösenord", '<input type="email">'),
        ("/zapomenute-heslo", "Zapomenuté heslo", '<input name="email">'),
        ("/?page_id=7", "Moje zamówienia", '<input name="zipcode">'),
    ],
)
def test_an_account_page_is_recognised_without_a_password_field(path: str, heading: str, content: str) -> None:
    facts = read(page("", f"<h1>{heading}</h1>{content}"), url=f"https://demo.test{path}")
    assert facts.shows_kind is True
    found = detect(facts.url, body_class="", text="", headings=facts.headings, shown=facts.shows_kind)
    assert found == PageKind("account")


@pytest.mark.parametrize(
    ("path", "heading", "content"),
    [
        ("/profile", "A profile of our company", '<input type="email">'),
        ("/address", "Where you find us", "<table></table>"),
        ("/orders", "The orders of architecture", "<table></table>"),
        ("/order", "My orders", "<p>A poem.</p>"),
        ("/?page_id=7", "My account of the journey", "<table></table>"),
        ("/manual/ch3.html", "Order details", "<table></table>"),
        ("/?page_id=7", "My profile", '<footer><input type="email"></footer>'),
    ],
)
def test_an_address_alone_does_not_make_an_account_page(path: str, heading: str, content: str) -> None:
    facts = read(page("", f"<h1>{heading}</h1>{content}"), url=f"https://demo.test{path}")
    found = detect(facts.url, body_class="", text="", headings=facts.headings, shown=facts.shows_kind)
    assert found == PageKind()
