"""Alt texts on a real WordPress: shown at one image of one page, undone, and gone with the plugin."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from chalicelib.settings.reading import forget_settings
from tests.connectors import protocol
from tests.real.wordpress import WordPress, started
from tests.real.wordpress_keyed import alts, send, upload, with_plugin
from tests.real.wordpress_subject import PLUGIN, Subject

pytestmark = pytest.mark.real

# One picture, written in all ways in which a page may write it, and in places that show no image.
CONTENT = """<!-- wp:html --><p>
<img src="{url}" alt=""> <IMG class=x SRC='{path}' ALT='Old &amp; odd' title="a &gt; b">
<img alt=plain src={folder}../{year}{name}><img src="{url}#part" width=3/>
<!-- <img src="{url}" alt="comment"> --> <noscript><img src="{url}" alt="noscript"></noscript>
<template><img src="{url}" alt="template"></template>
<img srcset="{url} 2x" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="lazy">
<img src="https://cdn.example.net/far.jpg?w=1&amp;h=2" alt="far"> <img alt="no address">
</p><script>document.title += '<img src="{url}" alt="script">';</script><!-- /wp:html -->"""
TEXT = 'Two "tents" & <b>pegs</b> – C:\\Ünïcode 🏕'
LARGE = 300  # images of one page


@pytest.fixture(scope="module")
def site() -> Iterator[WordPress]:
    with started() as site:
        site.seed(4)
        yield site


@pytest.fixture(scope="module")
def pages(site: WordPress) -> dict[str, Subject]:
    """A post with a featured image and images in its content, its category, and the front page that lists it."""
    picture = upload(site, "tent.png")
    path = str(picture["url"]).removeprefix(site.url)
    folder, _, name = path.rpartition("/")
    words = {"url": picture["url"], "path": path, "folder": f"{folder}/", "year": f"{folder.rpartition('/')[2]}/"}
    (category,) = site.rest("GET", "/wp/v2/categories?slug=uncategorized")
    body = {"title": "Tents", "slug": "tents", "status": "publish", "featured_media": picture["id"]}
    post = site.rest("POST", "/wp/v2/posts", {**body, "content": CONTENT.format(**words, name=name)})
    return {
        "post": Subject(site, f"post:{post['id']}", post["link"]),
        "term": Subject(site, f"term:{category['id']}", category["link"]),
        "home": Subject(site, "home", f"{site.url}/"),
    }


@pytest.fixture(scope="module")
def active(site: WordPress, pages: dict[str, Subject]) -> Iterator[WordPress]:
    with with_plugin(site):
        yield site


@pytest.fixture
def plugin(active: WordPress) -> Iterator[WordPress]:
    """The website with the plugin, and without what a test leaves."""
    yield active
    active.run("Wos\\Alts::remove(); delete_option('wos_home');")


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


def at(subject: Subject) -> dict[str, Any]:
    return {"cms_id": subject.item, "url": subject.url}


def page(subject: Subject) -> str:
    return subject.site.get(subject.url.removeprefix(subject.site.url)).text


def without_alts(text: str) -> str:
    """A page without the alt attributes of its images."""
    return re.sub(r"""\salt=(?:"[^"]*"|'[^']*'|[a-z]+)""", "", text, flags=re.IGNORECASE)


def test_alt_texts_disappear_when_the_plugin_is_removed(site: WordPress, pages: dict[str, Subject]) -> None:
    """This test comes first, because the other tests share one activation of the plugin."""
    texts = {kind: page(subject) for kind, subject in pages.items()}
    with with_plugin(site):
        for subject in pages.values():
            cms = protocol.connect(subject)
            for key in alts(site, subject.url):
                assert send(cms, "alt", key, TEXT, **at(subject)).state == "written"
            assert set(alts(site, subject.url).values()) == {TEXT}
        site.deactivate(PLUGIN.name)
        assert {kind: page(subject) for kind, subject in pages.items()} == texts
    assert {kind: page(subject) for kind, subject in pages.items()} == texts


@pytest.mark.parametrize("kind", ["post", "term", "home"])
def test_each_image_of_a_page_is_changed_and_undone_separately(
    kind: str, plugin: WordPress, pages: dict[str, Subject]
) -> None:
    subject = pages[kind]
    cms, text, before = protocol.connect(subject), page(subject), alts(plugin, subject.url)
    posts = plugin.sql("select md5(group_concat(concat_ws('|', ID, post_content, post_modified))) from wp_posts")
    assert "alt" in cms.status().fields and len(before) == {"post": 7, "term": len(before), "home": len(before)}[kind]
    assert any(address.startswith(plugin.url) for address in before)
    expected, done = dict(before), []
    for number, key in enumerate(before):
        for value in (f"{TEXT} {number}", ""):
            outcome = send(cms, "alt", key, value, **at(subject))
            assert (outcome.state, outcome.after) == ("written", value), (key, outcome)
            expected[key] = value
            assert alts(plugin, subject.url) == expected, key
            done.append((key, outcome))
    assert without_alts(page(subject)) == without_alts(text)
    for key, outcome in reversed(done):
        back = send(cms, "alt", key, None, restore=outcome.undo, **at(subject))
        assert (back.state, back.after) == ("written", outcome.before)
    assert page(subject) == text
    assert posts == plugin.sql(
        "select md5(group_concat(concat_ws('|', ID, post_content, post_modified))) from wp_posts"
    )


def test_a_block_theme_shows_alt_texts_too() -> None:
    with started(theme="twentytwentythree") as site:
        picture = upload(site, "tent.png")
        body = {"title": "Tents", "slug": "tents", "status": "publish", "featured_media": picture["id"]}
        post = site.rest("POST", "/wp/v2/posts", {**body, "content": f'<img src="{picture["url"]}" alt="inside">'})
        for subject in (Subject(site, f"post:{post['id']}", post["link"]), Subject(site, "home", f"{site.url}/")):
            with with_plugin(site):
                cms, before = protocol.connect(subject), alts(site, subject.url)
                expected = dict(before)
                for key in before:
                    assert send(cms, "alt", key, f"{TEXT} {key}", **at(subject)).state == "written"
                    expected[key] = f"{TEXT} {key}"
                    assert alts(site, subject.url) == expected != before


def test_writing_null_restores_the_original_alt_text(plugin: WordPress, pages: dict[str, Subject]) -> None:
    subject = pages["post"]
    cms, before = protocol.connect(subject), alts(plugin, subject.url)
    key = list(before)[2]
    first = send(cms, "alt", key, TEXT, **at(subject))
    gone = send(cms, "alt", key, None, **at(subject))
    assert (gone.before, gone.after, alts(plugin, subject.url)) == (TEXT, None, before)
    assert send(cms, "alt", key, None, restore=gone.undo, **at(subject)).after == TEXT
    later = send(cms, "alt", key, "Somebody else's", **at(subject))
    stale = send(cms, "alt", key, None, restore=first.undo, **at(subject))
    assert stale.state == "refused" and alts(plugin, subject.url)[key] == "Somebody else's" == later.after


def test_an_alt_text_for_an_image_that_is_on_no_page_is_refused(plugin: WordPress, pages: dict[str, Subject]) -> None:
    subject = pages["post"]
    cms, before, text = protocol.connect(subject), alts(plugin, subject.url), page(subject)
    key = next(iter(before))
    address = key.rpartition(" ")[0]
    for wrong, value in (
        (f"{address}x 1", "X"),
        (f"{address} 9999", "X"),
        (f"{plugin.url}/wp-content/..%2f..%2fwp-config.php 1", "X"),
        (f"{plugin.url}/wp-content/a%00.png 1", "X"),
        ("https://cdn.example.net/far.jpg?w=1&h=2 2", "X"),
        ("https://user@cdn.example.net/far.jpg 1", "X"),
        (key, " "),
        (key, "x" * 513),
        (key, "Two\nlines"),
    ):
        outcome = send(cms, "alt", wrong, value, **at(subject))
        assert outcome.state == "refused" and outcome.reason, wrong
    other = send(cms, "alt", key, "X", cms_id=subject.item, url=pages["home"].url)
    assert other.state == "refused" and page(subject) == text


def test_a_plugin_that_fills_empty_alt_texts_does_not_replace_our_texts(
    plugin: WordPress, pages: dict[str, Subject]
) -> None:
    filler = plugin.root / "wp-content" / "mu-plugins" / "filler.php"
    code = "return str_replace('alt=\"\"', 'alt=\"Test Shop\"', $html);"
    filters = "".join(
        f"add_filter('{name}', function ($html) {{ {code} }}, 11);" for name in ("the_content", "post_thumbnail_html")
    )
    filler.write_text(f"<?php {filters}", encoding="utf-8")
    try:
        subject = pages["post"]
        cms = protocol.connect(subject)
        key, filled = next((key, alt) for key, alt in alts(plugin, subject.url).items() if alt == "Test Shop")
        outcome = send(cms, "alt", key, "", **at(subject))
        assert alts(plugin, subject.url)[key] == "" != filled
        send(cms, "alt", key, None, restore=outcome.undo, **at(subject))
        assert alts(plugin, subject.url)[key] == filled
    finally:
        filler.unlink()


def test_page_content_whose_code_prints_or_fails_or_exits_does_no_harm(
    plugin: WordPress, pages: dict[str, Subject]
) -> None:
    """To find an image, the connector renders the content of the post. This runs the code of other plugins."""
    broken = plugin.root / "wp-content" / "mu-plugins" / "broken.php"
    subject = pages["post"]
    cms = protocol.connect(subject)
    key = next(key for key in alts(plugin, subject.url) if "cdn.example" in key)
    try:
        for code, state in (("echo 'noise'; return $html;", "written"), ("throw new Error('no');", "refused")):
            broken.write_text(
                f"<?php if (defined('REST_REQUEST') || strpos($_SERVER['REQUEST_URI'] ?? '', 'wp-json')) {{"
                f" add_filter('the_content', function ($html) {{ {code} }}, 99); }}",
                encoding="utf-8",
            )
            assert send(cms, "alt", key, TEXT, **at(subject)).state == state
    finally:
        broken.unlink()


def test_changing_an_alt_text_clears_the_page_cache(plugin: WordPress, pages: dict[str, Subject]) -> None:
    plugin.activate(PLUGIN.parents[2] / "tests" / "real" / "plugins" / "page-cache.php")
    subject = pages["post"]
    cms, before = protocol.connect(subject), alts(plugin, subject.url)
    key = next(iter(before))
    try:
        outcome = send(cms, "alt", key, TEXT, **at(subject))
        assert [(cache.name, cache.cleared) for cache in outcome.caches] == [("WP Rocket", True)]
        assert alts(plugin, subject.url)[key] == TEXT
        send(cms, "alt", key, None, restore=outcome.undo, **at(subject))
        assert alts(plugin, subject.url) == before
    finally:
        plugin.uninstall("page-cache.php")


def test_many_alt_texts_can_be_written_at_the_same_time(plugin: WordPress, pages: dict[str, Subject]) -> None:
    for kind in ("post", "home"):
        subject = pages[kind]
        cms, before = protocol.connect(subject), alts(plugin, subject.url)
        with ThreadPoolExecutor(8) as pool:
            done = list(pool.map(lambda key: (key, send(cms, "alt", key, key, **at(subject))), before))  # noqa: B023
        assert {outcome.state for _, outcome in done} == {"written"}
        assert alts(plugin, subject.url) == {key: key for key in before}
        for key, outcome in done:
            assert send(cms, "alt", key, None, restore=outcome.undo, **at(subject)).state == "written"
        assert alts(plugin, subject.url) == before


def test_changing_an_alt_text_keeps_all_other_bytes_of_a_page(plugin: WordPress, pages: dict[str, Subject]) -> None:
    """The page has ten times the images of a large page, and a script of a megabyte between them."""
    file = plugin.root / "wp-content" / "mu-plugins" / "large.php"
    image = f'<img src="{plugin.url}/wp-content/uploads/none.png?<?= $i ?>">'
    script = "<script>/* <?= str_repeat('<img src=x> ', 90000) ?> */</script>"
    file.write_text(
        "<?php add_action('wp_footer', function () { for ($i = 0; $i < "
        + str(10 * LARGE)
        + "; $i++) { ?>"
        + image
        + "<?php } ?>"
        + script
        + '<img src="https://cdn.example.net/far.jpg?w=1&h=2"><?php });',
        encoding="utf-8",
    )
    subject = pages["post"]
    try:
        cms, text = protocol.connect(subject), page(subject)
        key = "https://cdn.example.net/far.jpg?w=1&h=2 1"
        outcome = send(cms, "alt", key, TEXT, **at(subject))
        after = page(subject)
        assert outcome.state == "written" and len(after) > 1_000_000 and after != text
        assert without_alts(after) == without_alts(text)
    finally:
        file.unlink()
