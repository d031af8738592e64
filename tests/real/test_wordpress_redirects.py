"""Redirects on a real WordPress: answered where it would answer 404, undone, and gone with the plugin."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from chalicelib.connectors.cms import HttpCms
from chalicelib.domain.connector.messages import Outcome
from chalicelib.settings.reading import forget_settings
from tests.connectors import protocol
from tests.real.wordpress import WordPress, started
from tests.real.wordpress_keyed import send, with_plugin
from tests.real.wordpress_subject import PLUGIN, Subject

pytestmark = pytest.mark.real

NOT_FOUND = (404, None)


@pytest.fixture(scope="module")
def site() -> Iterator[WordPress]:
    with started() as site:
        site.seed(6)
        site.rest("POST", "/wp/v2/categories", {"name": "Tents", "slug": "tents"})
        yield site


@pytest.fixture(scope="module")
def active(site: WordPress) -> Iterator[WordPress]:
    with with_plugin(site):
        yield site


@pytest.fixture
def plugin(active: WordPress) -> Iterator[WordPress]:
    """The website with the plugin, and without what a test leaves."""
    yield active
    active.run("delete_option('wos_redirects');")


@pytest.fixture
def cms(plugin: WordPress) -> HttpCms:
    return protocol.connect(Subject(plugin, "home", f"{plugin.url}/"))


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


def redirect(cms: HttpCms, key: str, value: str | None, **more: Any) -> Outcome:
    return send(cms, "redirect", key, value, **{"cms_id": None, "url": base(cms) + key, **more})


def base(cms: HttpCms) -> str:
    return cms.address.removesuffix("/wp-json/wos/v1")


def seen(site: WordPress, path: str, method: str = "GET") -> tuple[int, str | None]:
    answer = site.ask(method, path)
    return answer.status, answer.headers.get("location")


def posts(site: WordPress) -> list[list[str]]:
    return site.sql(
        "select md5(group_concat(concat_ws('|', ID, post_name, post_content, post_modified))) from wp_posts"
    )


def test_redirects_written_at_the_same_time_are_all_kept_and_removed_with_the_plugin(site: WordPress) -> None:
    """This test comes first, because the other tests share one activation of the plugin."""
    with with_plugin(site):
        cms = protocol.connect(Subject(site, "home", f"{site.url}/"))
        keys = [f"/gone-{number}" for number in range(24)]
        with ThreadPoolExecutor(8) as pool:
            outcomes = list(pool.map(lambda key: redirect(cms, key, f"{site.url}/widget-guide-1/"), keys))
        assert {outcome.state for outcome in outcomes} == {"written"}
        assert {seen(site, key)[0] for key in keys} == {301}
        assert site.sql("select autoload from wp_options where option_name = 'wos_redirects'") == [["no"]]
        site.deactivate(PLUGIN.name)
        assert {seen(site, key)[0] for key in keys} == {404}
    assert {seen(site, key)[0] for key in keys} == {404}


def test_a_missing_address_is_redirected_until_the_undo(plugin: WordPress, cms: HttpCms) -> None:
    target, before = f"{plugin.url}/widget-guide-1/?from=old#top", posts(plugin)
    # WordPress guesses addresses that begin alike; ours go before.
    for key in ("/old-tents/", "/old?x=1&y=2", "/widget-guid", "/b%C3%BCcher/%5B1%5D"):
        found = seen(plugin, key)
        assert cms.status().redirects and found[0] in (404, 301)
        outcome = redirect(cms, key, target)
        assert (outcome.state, outcome.before, outcome.after) == ("written", None, target), outcome
        answer = plugin.ask("GET", key)
        assert (answer.status, answer.headers["location"]) == (301, target)
        assert answer.headers["cache-control"] == "max-age=3600" and "expires" not in answer.headers
        assert seen(plugin, key, "HEAD") == (301, target) and seen(plugin, key, "POST")[1] != target
        assert seen(plugin, f"{key}{'&' if '?' in key else '?'}z=1")[1] != target
        gone = redirect(cms, key, None)
        assert (gone.before, gone.after, seen(plugin, key)) == (target, None, found)
        assert redirect(cms, key, None, restore=gone.undo).after == target == seen(plugin, key)[1]
        late = redirect(cms, key, None, restore=gone.undo)
        assert late.state == "refused" and "since" in (late.reason or "")
        other = redirect(cms, key, f"{plugin.url}/widget-guide-2/")
        assert redirect(cms, key, None, restore=other.undo).after == target
        redirect(cms, key, None)
        assert seen(plugin, key) == found
    assert posts(plugin) == before


def test_a_redirect_matches_every_spelling_of_its_address(plugin: WordPress, cms: HttpCms) -> None:
    target = f"{plugin.url}/widget-guide-1/"
    redirect(cms, "/b%C3%BCcher/~x?q=%5Ba%5D+b", target)
    for path in ("/b%c3%bccher/%7Ex?q=%5ba%5d+b", "/b%C3%BCcher/~x?q=%5Ba%5D+b"):
        assert seen(plugin, path) == (301, target), path
    for path in ("/B%C3%BCcher/~x?q=%5Ba%5D+b", "/b%C3%BCcher/~x/?q=%5Ba%5D+b", "/b%C3%BCcher/~x?q=%5Ba%5D%2Bb"):
        assert seen(plugin, path)[1] != target, path


def test_a_page_published_at_a_redirected_address_replaces_the_redirect(plugin: WordPress, cms: HttpCms) -> None:
    target = f"{plugin.url}/widget-guide-1/"
    redirect(cms, "/summer-sale/", target)
    page = plugin.rest("POST", "/wp/v2/pages", {"title": "Sale", "slug": "summer-sale", "status": "publish"})
    try:
        assert seen(plugin, "/summer-sale/") == (200, None)
        assert redirect(cms, "/summer-sale/", f"{plugin.url}/").state == "refused"
    finally:
        plugin.rest("DELETE", f"/wp/v2/pages/{page['id']}?force=true")
    assert seen(plugin, "/summer-sale/") == (301, target)


def test_loops_chains_and_redirects_of_existing_pages_are_refused(plugin: WordPress, cms: HttpCms) -> None:
    home = plugin.url
    assert redirect(cms, "/a", f"{home}/widget-guide-1/").state == "written"
    assert redirect(cms, "/x", f"{home}/y").state == "written"
    stored = plugin.sql("select hex(option_value) from wp_options where option_name = 'wos_redirects'")
    for key, value in (
        ("/b", f"{home}/a"),
        ("/b", f"{home}/%61#part"),
        ("/y", f"{home}/widget-guide-1/"),
        ("/c", f"{home}/c"),
        ("/", f"{home}/widget-guide-1/"),
        ("/?p=123456", f"{home}/widget-guide-1/"),
        ("/wp-json/wp/v2/none", f"{home}/widget-guide-1/"),
        ("/robots.txt", f"{home}/widget-guide-1/"),
        ("/llms.txt?x", f"{home}/widget-guide-1/"),
        ("/widget-guide-2/", f"{home}/widget-guide-1/"),
        ("/widget-guide-3", f"{home}/widget-guide-1/"),
        ("/category/tents/", f"{home}/widget-guide-1/"),
        ("/d", "https://elsewhere.example/"),
        ("/d", "//elsewhere.example/"),
        ("/d", "/widget-guide-1/"),
        ("/d", f"http://user@{home.partition('//')[2]}/"),
        ("/d", f"{home}\\@elsewhere.example/"),
        ("/d", f"http://127.0.0.1:1/{home}"),
        ("/d", f"{home}/\r\nSet-Cookie: a=b"),
        ("/d", f"{home}/ä"),
        ("/d", ""),
        ("/d", f"{home}/{'x' * 2_000}"),
    ):
        outcome = redirect(cms, key, value)
        assert outcome.state == "refused" and outcome.reason, (key, value)
    other = redirect(cms, "/d", f"{home}/widget-guide-1/", url=f"{home}/e")
    foreign = redirect(cms, "/d", f"{home}/widget-guide-1/", url="https://elsewhere.example/d")
    assert other.state == foreign.state == "refused"
    assert plugin.sql("select hex(option_value) from wp_options where option_name = 'wos_redirects'") == stored


def test_an_undo_is_refused_if_it_would_create_a_redirect_chain(plugin: WordPress, cms: HttpCms) -> None:
    outcome = redirect(cms, "/old", f"{plugin.url}/newer")
    gone = redirect(cms, "/old", None)
    redirect(cms, "/newer", f"{plugin.url}/widget-guide-1/")
    back = redirect(cms, "/old", None, restore=gone.undo)
    assert outcome.state == "written" and back.state == "refused" and "redirected itself" in (back.reason or "")
    assert seen(plugin, "/old") == NOT_FOUND


def test_two_simultaneous_redirects_cannot_form_a_chain(plugin: WordPress, cms: HttpCms) -> None:
    for number in range(5):
        pairs = [
            (f"/left-{number}", f"{plugin.url}/right-{number}"),
            (f"/right-{number}", f"{plugin.url}/left-{number}"),
        ]
        with ThreadPoolExecutor(2) as pool:
            outcomes = list(pool.map(lambda pair: redirect(cms, *pair), pairs))
        assert sorted(outcome.state for outcome in outcomes) == ["refused", "written"]


def test_a_website_has_at_most_2000_redirects(plugin: WordPress, cms: HttpCms) -> None:
    plugin.run(
        "$all = []; for ($i = 0; $i < 2000; $i++) { $all[hash('sha256', \"/full-$i\")] ="
        " ['path' => \"/full-$i\", 'to' => home_url('/widget-guide-1/')]; }"
        "update_option('wos_redirects', $all, false);"
    )
    assert seen(plugin, "/full-1999") == (301, f"{plugin.url}/widget-guide-1/") and seen(plugin, "/none") == NOT_FOUND
    outcome = redirect(cms, "/one-more", f"{plugin.url}/widget-guide-1/")
    assert outcome.state == "refused" and "2,000" in (outcome.reason or "")
    assert redirect(cms, "/full-7", f"{plugin.url}/widget-guide-2/").state == "written"


def test_adding_a_redirect_clears_the_page_cache(plugin: WordPress, cms: HttpCms) -> None:
    plugin.activate(PLUGIN.parents[2] / "tests" / "real" / "plugins" / "page-cache.php")
    try:
        assert seen(plugin, "/old-tents/") == NOT_FOUND
        outcome = redirect(cms, "/old-tents/", f"{plugin.url}/widget-guide-1/")
        assert [(cache.name, cache.cleared) for cache in outcome.caches] == [("WP Rocket", True)]
        assert seen(plugin, "/old-tents/")[0] == 301
    finally:
        plugin.uninstall("page-cache.php")


def test_an_address_that_another_plugin_answers_with_410_is_redirected(plugin: WordPress, cms: HttpCms) -> None:
    plugin.activate(PLUGIN.parents[2] / "tests" / "real" / "plugins" / "gone.php")
    try:
        target = f"{plugin.url}/widget-guide-1/"
        assert redirect(cms, "/removed/tent", target).state == "written"
        answer = plugin.ask("GET", "/removed/tent")
        assert (answer.status, answer.headers["location"]) == (301, target)
        assert answer.headers["cache-control"] == "max-age=3600" and "expires" not in answer.headers
        assert seen(plugin, "/removed/tent", "HEAD") == (301, target)
        assert seen(plugin, "/removed/other") == seen(plugin, "/removed/tent", "POST") == (410, None)
        redirect(cms, "/removed/tent", None)
        assert seen(plugin, "/removed/tent") == (410, None)
    finally:
        plugin.uninstall("gone.php")


def test_redirects_are_refused_with_plain_permalinks(plugin: WordPress, cms: HttpCms) -> None:
    for form in ("", "/index.php/%postname%/"):
        plugin.run("update_option('permalink_structure', getenv('FORM')); flush_rewrite_rules(false);", FORM=form)
        try:
            address = str(plugin.run("echo json_encode(untrailingslashit(rest_url('wos/v1')));"))
            plain = HttpCms(address, cms.secret)
            outcome = send(plain, "redirect", "/old", f"{plugin.url}/", cms_id=None, url=f"{plugin.url}/old")
            assert not plain.status().redirects and outcome.state == "refused", form
        finally:
            plugin.run("update_option('permalink_structure', '/%postname%/');")
            plugin.run("flush_rewrite_rules(false);")
