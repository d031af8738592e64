"""A small website with the faults that writing mends: titles that are too wide, missing descriptions, texts that stand
at two addresses, and log-in pages that search engines may index."""

from typing import Final

from tests.real.wordpress import WordPress

LONG: Final = {  # each says half of the website's name, Test Shop, so a shorter one may leave the name out
    "tent-pegs": "How to test tent pegs for sand, snow and stony ground",
    "wool-socks": "How to test merino wool socks in cold and wet weather",
    "gas-stoves": "How to test gas stoves before climbing high mountains",
    "sleeping-bags": "How to test down sleeping bags before a damp summer",
}
SAME: Final = {  # each also at the address that ends on -copy
    "canvas-care": "Caring for canvas and cotton in wet countries",
    "wood-care": "Caring for wooden poles and paddles in winter",
    "rope-care": "Caring for ropes and slings that have seen rain",
    "boot-care": "Caring for leather boots after a salty crossing",
}
ACCOUNT: Final = {
    "login": "Log in to your account",
    "sign-in": "Sign in to the shop of the club",
    "my-account": "Your account and your orders",
    "lost-password": "Choose a new password for the shop",
}

_FORM: Final = '<form method="post"><input name="user"><input type="password" name="word"><button>Go</button></form>'
# Lists by author and date are no items of the connector. They are kept out of search, as SEO plugins do it.
_LISTS_KEPT_OUT: Final = (
    "<?php add_filter('wp_robots', static function ($robots) {"
    "return is_author() || is_date() || is_paged() ? ['noindex' => true] + $robots : $robots; });"
)


def fill(site: WordPress) -> None:
    """Makes the website's pages and posts."""
    (site.root / "wp-content" / "mu-plugins" / "lists.php").write_text(_LISTS_KEPT_OUT, encoding="utf-8")
    # Nothing but links tells which of two addresses with the same text is the one to keep.
    links = "".join(f'<p><a href="/{slug}/">{title}</a></p>' for slug, title in SAME.items())
    for slug, title in LONG.items():
        _make(site, "posts", slug, title, _text(title) + links)
    for slug, title in SAME.items():
        for copy in ("", "-copy"):
            _make(site, "pages", slug + copy, title, _text(title))
    for slug, title in ACCOUNT.items():
        _make(site, "pages", slug, title, f"<p>{title} here.</p>{_FORM}")


def _make(site: WordPress, kind: str, slug: str, title: str, content: str) -> None:
    body = {"title": title, "slug": slug, "status": "publish", "content": content}
    site.rest("POST", f"/wp/v2/{kind}", body)


def _text(title: str) -> str:
    sentences = (f"{title}: in year {year} we tried it again, and wrote down what we saw." for year in range(1, 13))
    return "".join(f"<p>{sentence}</p>" for sentence in sentences)
