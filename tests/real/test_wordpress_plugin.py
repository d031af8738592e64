"""The WordPress plugin on a real WordPress: the protocol's checks, live pages, what it tells, and how it leaves."""

import functools
import http.cookiejar
import re
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator

import pytest

from chalicelib.connectors.cms import HttpCms
from chalicelib.connectors.errors import NoAccess, Unavailable
from chalicelib.domain.connector.messages import Field
from chalicelib.domain.readiness.robots_block import with_block
from chalicelib.settings.reading import forget_settings
from conformance.__main__ import main as conformance
from tests.connectors import protocol
from tests.real.wordpress import WordPress, started
from tests.real.wordpress_subject import PLUGIN, Subject, stored

pytestmark = pytest.mark.real

FIELDS = list(protocol.VALUES)


@pytest.fixture(scope="module")
def site() -> Iterator[WordPress]:
    """A WordPress of its own, since what is stored in it is compared whole."""
    with started() as site:
        site.seed(8)
        site.rest("POST", "/wp/v2/categories", {"name": "Tents & tarps", "slug": "tents"})
        yield site


@pytest.fixture(scope="module")
def before(site: WordPress) -> list[list[str]]:
    """What is stored before the plugin came."""
    return stored(site)


@pytest.fixture
def plugin(site: WordPress, before: list[list[str]]) -> Iterator[WordPress]:
    """The website with the plugin; whatever a test did, its removal leaves the database as it was before."""
    site.activate(PLUGIN)
    yield site
    site.uninstall(PLUGIN.name)
    assert stored(site) == before
    assert site.sql("show tables like '%wos%'") == []
    assert site.run("echo json_encode(wp_next_scheduled('wos_push'));") is False
    assert site.complaints() == []


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


@functools.cache
def found(site: WordPress, kind: str, slug: str) -> tuple[int, str]:
    (item,) = site.rest("GET", f"/wp/v2/{kind}?slug={slug}")
    return item["id"], item["link"]


def items(site: WordPress) -> dict[str, Subject]:
    """A post, a page, a term and the front page that lists posts."""
    post, page = found(site, "posts", "widget-guide-1"), found(site, "pages", "widget-guide-3")
    term = found(site, "categories", "tents")
    return {
        "post": Subject(site, f"post:{post[0]}", post[1]),
        "page": Subject(site, f"post:{page[0]}", page[1]),
        "term": Subject(site, f"term:{term[0]}", term[1]),
        "home": Subject(site, "home", f"{site.url}/"),
    }


@pytest.fixture(scope="module")
def shared() -> Iterator[Subject]:
    with started() as site:
        site.seed(8)
        site.activate(PLUGIN)
        (page,) = site.rest("GET", "/wp/v2/pages?slug=widget-guide-3")
        image = '<img src="/wp-includes/images/blank.gif" alt=""> <img src="/wp-includes/images/blank.gif">'
        site.rest("POST", f"/wp/v2/pages/{page['id']}", {"content": image})
        yield Subject(site, f"post:{page['id']}", page["link"])
        assert site.complaints() == []


@protocol.each
def test_the_stand_in_for_the_plugin_follows_the_protocol(
    check: Callable[[protocol.Subject], None], shared: Subject
) -> None:
    check(shared)


def test_the_plugin_passes_the_conformance_checks(shared: Subject, capsys: pytest.CaptureFixture[str]) -> None:
    def values() -> list[list[str]]:
        """What is stored, but for the pairing."""
        return [row for row in shared.stored() if row[1] not in ("wos_code", "wos_connection")]

    before = values()
    status = conformance([shared.address, "--code", shared.code(), "--item", shared.item])
    printed = capsys.readouterr()
    assert status == 0 and "0 wrong, 0 left out." in printed.out, printed.out + printed.err
    assert values() == before


# -- what visitors see -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["post", "term", "home"])
def test_each_field_of_each_kind_of_item_is_written_shown_and_undone(plugin: WordPress, kind: str) -> None:
    protocol.each_field_is_written_seen_and_undone(items(plugin)[kind])


def test_a_front_page_and_a_posts_page_are_written_through_their_own_pages(plugin: WordPress) -> None:
    subject = items(plugin)["page"]
    (posts,) = plugin.rest("GET", "/wp/v2/pages?slug=widget-guide-0")
    options = {"show_on_front": "page", "page_on_front": int(subject.item[5:]), "page_for_posts": posts["id"]}
    plugin.rest("POST", "/wp/v2/settings", options)
    try:
        subject.url = f"{plugin.url}/"
        for one in (subject, Subject(plugin, f"post:{posts['id']}", posts["link"])):
            protocol.each_field_is_written_seen_and_undone(one)
        cms = protocol.connect(subject)
        assert "home" not in {item.cms_id for item in cms.items().items}
        assert cms.change(protocol.change(subject, "title", "X", cms_id="home")).state == "refused"
    finally:
        plugin.rest("POST", "/wp/v2/settings", {"show_on_front": "posts", "page_on_front": 0, "page_for_posts": 0})


def test_the_second_page_of_a_post_list_keeps_its_own_title(plugin: WordPress) -> None:
    plugin.rest("POST", "/wp/v2/settings", {"posts_per_page": 2})
    try:
        subject = items(plugin)["home"]
        cms = protocol.connect(subject)
        second = plugin.get("/page/2/").text
        for field, value in protocol.VALUES.items():
            cms.change(protocol.change(subject, field, value))
        assert plugin.get("/page/2/").text == second
    finally:
        plugin.rest("POST", "/wp/v2/settings", {"posts_per_page": 10})


def test_noindex_pages_are_not_in_the_sitemap(plugin: WordPress) -> None:
    subject = items(plugin)["page"]
    cms = protocol.connect(subject)

    def listed() -> bool:
        return subject.url in plugin.get("/wp-sitemap-posts-page-1.xml").text

    assert listed()
    outcome = cms.change(protocol.change(subject, "noindex", "true"))
    assert not listed()
    protocol.undo(cms, subject, "noindex", outcome)
    assert listed()


def test_an_unpublished_item_is_refused_and_not_listed(plugin: WordPress) -> None:
    subject = items(plugin)["post"]
    cms = protocol.connect(subject)
    plugin.rest("POST", f"/wp/v2/posts/{subject.item[5:]}", {"status": "draft"})
    assert cms.change(protocol.change(subject, "title", "X")).state == "refused"
    assert subject.item not in {item.cms_id for item in cms.items().items}
    plugin.rest("POST", f"/wp/v2/posts/{subject.item[5:]}", {"status": "publish"})
    assert subject.item in {item.cms_id for item in cms.items().items}


# -- the fields of SEO plugins -----------------------------------------------------------------------------

# Texts that those plugins show as they are; what they would spoil is refused.
PLAIN: dict[Field, str] = protocol.VALUES | {
    "title": "Tents & “tarps” for hikers – 100% dry",
    "meta_description": 'Don\'t pitch it: "peg" it & go. Ünïcode 🏕 too.',
}
YOAST = {
    "title": "_yoast_wpseo_title",
    "meta_description": "_yoast_wpseo_metadesc",
    "canonical": "_yoast_wpseo_canonical",
    "noindex": "_yoast_wpseo_meta-robots-noindex",
}
SEO_PLUGINS = {
    "seo-like-yoast.php": ("yoast", ["title", "meta_description"]),
    "seo-like-rank-math.php": ("rank_math", ["title", "meta_description", "noindex"]),
    "seo-like-tsf.php": ("the_seo_framework", FIELDS),
}


@pytest.fixture(params=SEO_PLUGINS)
def seo(request: pytest.FixtureRequest, plugin: WordPress) -> Iterator[str]:
    """One of the SEO plugins is active."""
    name = str(request.param)
    plugin.activate(PLUGIN.parents[2] / "tests" / "real" / "plugins" / name)
    yield name
    plugin.uninstall(name)


def test_a_value_written_by_way_of_the_seo_plugin_is_shown_unchanged(plugin: WordPress, seo: str) -> None:
    token, of_home = SEO_PLUGINS[seo]
    for kind, subject in items(plugin).items():
        cms = protocol.connect(subject)
        status = cms.status()
        assert (status.seo_plugin, status.fields) == (token, [*FIELDS, "alt"])
        for field, value in PLAIN.items():
            asked = protocol.change(subject, field, value)
            if kind == "home" and field not in of_home:
                outcome = cms.change(asked)
                assert outcome.state == "refused" and "front page" in (outcome.reason or "")
                continue
            found, kept = subject.shown(field), stored(plugin)
            outcome = cms.change(asked)
            assert (outcome.state, outcome.before, outcome.after) == ("written", None, value), (kind, outcome)
            assert subject.shown(field) == value != found
            assert protocol.undo(cms, subject, field, outcome).state == "written"
            assert subject.shown(field) == found and stored(plugin) == kept, (kind, field)


def test_a_value_is_refused_if_the_seo_plugin_would_change_it(plugin: WordPress, seo: str) -> None:
    subject = items(plugin)["post"]
    cms = protocol.connect(subject)
    kept = stored(plugin)
    for text in ("A <b>bold</b> title", "C:\\tents", "Tents %%sitename%%", "Tents %sitename% and more"):
        outcome = cms.change(protocol.change(subject, "title", text))
        if outcome.state == "refused":
            assert outcome.reason
        else:
            assert subject.shown("title") == text
            protocol.undo(cms, subject, "title", outcome)
    assert stored(plugin) == kept


def test_an_undo_restores_an_editors_seo_variables_exactly(plugin: WordPress) -> None:
    plugin.activate(PLUGIN.parents[2] / "tests" / "real" / "plugins" / "seo-like-yoast.php")
    subject = items(plugin)["post"]
    subject = Subject(plugin, subject.item, subject.url, YOAST)
    cms = protocol.connect(subject)
    try:
        subject.edit("title", "A guide to %%sitename%%")
        kept = stored(plugin)
        assert subject.shown("title") == "A guide to Test Shop"
        outcome = cms.change(protocol.change(subject, "title", "Another"))
        assert (outcome.before, subject.shown("title")) == ("A guide to %%sitename%%", "Another")
        protocol.undo(cms, subject, "title", outcome)
        assert stored(plugin) == kept
        again = cms.change(protocol.change(subject, "title", "Another"))
        plugin.deactivate("seo-like-yoast.php")
        late = protocol.undo(cms, subject, "title", again)
        assert late.state == "refused" and "another SEO plugin" in (late.reason or "")
    finally:
        # What the plugin wrote into the other's field is taken back when it is removed; the editor's is his to remove.
        plugin.uninstall(PLUGIN.name)
        assert plugin.sql("select meta_value from wp_postmeta where meta_key = '_yoast_wpseo_title'") == [
            ["A guide to %%sitename%%"]
        ]
        plugin.activate(PLUGIN)
        subject.edit("title", None)
        plugin.uninstall("seo-like-yoast.php")


@pytest.mark.parametrize(
    ("constants", "words"),
    [(["AIOSEO_VERSION"], "All in One SEO"), (["WPSEO_VERSION", "RANK_MATH_VERSION"], "Two SEO plugins")],
)
def test_changes_are_refused_if_another_plugin_replaces_the_head(
    plugin: WordPress, constants: list[str], words: str
) -> None:
    mu_plugin = plugin.root / "wp-content" / "mu-plugins" / "other.php"
    mu_plugin.write_text("<?php " + "".join(f"define('{name}', '1');" for name in constants))
    try:
        subject = items(plugin)["post"]
        cms = protocol.connect(subject)
        status = cms.status()
        assert status.fields == ["alt"] and words in (status.reason or "")
        assert status.files == ["llmsTxt", "robotsBlock", "indexNowKey"]
        outcome = cms.change(protocol.change(subject, "title", "X"))
        assert outcome.state == "refused" and words in (outcome.reason or "")
    finally:
        mu_plugin.unlink()


def test_a_seo_plugin_that_changes_the_case_of_titles_is_reported(plugin: WordPress) -> None:
    plugin.activate(PLUGIN.parents[2] / "tests" / "real" / "plugins" / "seo-like-rank-math.php")
    try:
        plugin.run("update_option('rank-math-options-titles', ['capitalize_titles' => 'on']);")
        assert protocol.connect(items(plugin)["post"]).status().title_case == "capitalize"
    finally:
        plugin.run("delete_option('rank-math-options-titles');")
        plugin.uninstall("seo-like-rank-math.php")


def test_with_plain_permalinks_the_plugin_writes_fields_but_no_files(plugin: WordPress) -> None:
    kept = plugin.run("echo json_encode(get_option('permalink_structure'));")
    plugin.run("update_option('permalink_structure', '');")
    try:
        (page,) = plugin.rest("GET", "/wp/v2/pages?slug=widget-guide-3", plain=True)
        subject = Subject(plugin, f"post:{page['id']}", page["link"])
        subject.address = str(plugin.run("echo json_encode(untrailingslashit(rest_url('wos/v1')));"))
        assert "rest_route=" in subject.address and "page_id=" in subject.url
        protocol.each_field_is_written_seen_and_undone(subject)
        status = protocol.connect(subject).status()
        assert (status.files, status.robots_file) == ([], "elsewhere")
    finally:
        plugin.run("update_option('permalink_structure', getenv('KEPT'));", KEPT=kept)
        plugin.run("flush_rewrite_rules(false);")


# -- caches and files --------------------------------------------------------------------------------------


def test_a_page_cache_is_cleared_or_reported_as_not_cleared(plugin: WordPress) -> None:
    plugin.activate(PLUGIN.parents[2] / "tests" / "real" / "plugins" / "page-cache.php")
    subject = items(plugin)["page"]
    cms = protocol.connect(subject)
    try:
        made = subject.shown("title")
        assert cms.status().page_caches == ["WP Rocket"]
        outcome = cms.change(protocol.change(subject, "title", "Fresh"))
        assert [(cache.name, cache.cleared) for cache in outcome.caches] == [("WP Rocket", True)]
        assert subject.shown("title") == "Fresh"
        plugin.run("update_option('page_cache_broken', 1);")
        hidden = protocol.undo(cms, subject, "title", outcome)
        assert [(cache.name, cache.cleared) for cache in hidden.caches] == [("WP Rocket", False)]
        assert hidden.state == "written" and subject.shown("title") == "Fresh" != made
    finally:
        plugin.run("delete_option('page_cache_broken'); rocket_clean_files([getenv('URL')]);", URL=subject.url)
        plugin.uninstall("page-cache.php")


def test_lines_can_be_added_to_a_robots_txt_file_and_removed_again(plugin: WordPress) -> None:
    file = plugin.root / "robots.txt"
    own = "User-agent: *\nDisallow: /private/\n"
    file.write_text(own)
    try:
        cms = protocol.connect(items(plugin)["page"])
        assert cms.status().robots_file == "file"
        block = "User-agent: GPTBot\nDisallow: /\n"
        outcome = cms.change_file(
            protocol.FileChange(change_id="r1", sequence=protocol.sequence(), file="robotsBlock", value=block)
        )
        assert outcome.after == block
        assert plugin.get("/robots.txt").text == with_block(own.encode(), block).decode()
        plugin.uninstall(PLUGIN.name)
        assert file.read_text() == own
        plugin.activate(PLUGIN)
    finally:
        file.unlink()


def key_change(change_id: str, value: str | None) -> protocol.FileChange:
    return protocol.FileChange(change_id=change_id, sequence=protocol.sequence(), file="indexNowKey", value=value)


def test_the_search_engine_key_is_served_at_its_own_address(plugin: WordPress) -> None:
    cms, key = protocol.connect(items(plugin)["page"]), "0123456789abcdef-Key"
    assert cms.status().index_now_sender is None
    assert cms.change_file(key_change("k1", "../wp-config")).state == "refused"
    assert cms.change_file(key_change("k2", key)).after == key
    answer = plugin.get(f"/{key}.txt")
    assert (answer.status, answer.text) == (200, key) and not (plugin.root / f"{key}.txt").exists()
    assert plugin.get(f"/{key[:-1]}.txt").status == plugin.get("/llms.txt").status == 404
    assert cms.change_file(key_change("k3", None)).after is None
    assert plugin.get(f"/{key}.txt").status == 404


@pytest.mark.parametrize(
    ("constant", "option", "value", "name"),
    [
        ("RANK_MATH_VERSION", "rank_math_modules", "['sitemap', 'instant-indexing']", "Rank Math"),
        ("SEOPRESS_VERSION", "seopress_toggle", "['toggle-instant-indexing' => '1']", "SEOPress"),
    ],
)
def test_the_search_engine_key_is_refused_beside_a_similar_plugin(
    plugin: WordPress, constant: str, option: str, value: str, name: str
) -> None:
    mu_plugin = plugin.root / "wp-content" / "mu-plugins" / "other.php"
    mu_plugin.write_text(f"<?php define('{constant}', '1');")
    try:
        cms = protocol.connect(items(plugin)["page"])
        assert cms.status().index_now_sender is None, "its module is off"
        plugin.run(f"update_option('{option}', {value});")
        status = cms.status()
        assert status.index_now_sender == name and "indexNowKey" not in status.files
        refused = cms.change_file(key_change("k1", "0123456789abcdef"))
        assert refused.state == "refused" and name in (refused.reason or "")
    finally:
        plugin.run(f"delete_option('{option}');")
        mu_plugin.unlink()


def test_an_llms_txt_file_made_by_hand_is_not_overwritten(plugin: WordPress) -> None:
    file = plugin.root / "llms.txt"
    file.write_text("# By hand\n")
    try:
        cms = protocol.connect(items(plugin)["page"])
        assert cms.status().files == ["robotsBlock", "indexNowKey"]
        asked = protocol.FileChange(change_id="l1", sequence=protocol.sequence(), file="llmsTxt", value="# X\n")
        outcome = cms.change_file(asked)
        assert outcome.state == "refused" and "llms.txt" in (outcome.reason or "")
        assert file.read_text() == "# By hand\n"
    finally:
        file.unlink()


# -- killed in the middle, turned off ----------------------------------------------------------------------


def test_the_previous_value_stays_if_a_change_is_killed_midway(plugin: WordPress) -> None:
    subject = items(plugin)["page"]
    subject.edit("title", "An editor's")
    cms = protocol.connect(subject)
    killer = plugin.root / "wp-content" / "mu-plugins" / "killer.php"
    killer.write_text(
        "<?php add_action('updated_post_meta', static function ($id, $post, $key) {"
        "if ('_wos_title' === $key) { posix_kill(getmypid(), 9); }"
        "}, 10, 3);"
    )
    asked = protocol.change(subject, "title", "Half done")
    try:
        with pytest.raises(Unavailable):
            cms.change(asked)
    finally:
        killer.unlink()
    assert subject.shown("title") == "Half done", "it was stored, and nobody was told"
    plugin.sql("update wp_wos_state set at = at - 61 where name like 'lock:%'")  # as if a minute had passed
    outcome = cms.change(asked)
    assert (outcome.state, outcome.before, outcome.after) == ("written", "An editor's", "Half done")
    assert protocol.undo(cms, subject, "title", outcome).after == "An editor's"
    subject.edit("title", None)


def test_a_reactivated_plugin_is_still_paired_and_shows_its_values(plugin: WordPress) -> None:
    subject = items(plugin)["page"]
    cms = protocol.connect(subject)
    cms.change(protocol.change(subject, "title", "Own"))
    plugin.deactivate(PLUGIN.name)
    with pytest.raises(Unavailable, match="plugin is switched off"):
        cms.status()
    assert subject.shown("title") != "Own"
    plugin.activate(PLUGIN)
    assert cms.status().writable and subject.shown("title") == "Own"


# -- the settings page -------------------------------------------------------------------------------------


class Admin:
    """A person at the settings page, with the cookies of his login."""

    def __init__(self, site: WordPress, user: str, password: str) -> None:
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._opener = urllib.request.build_opener(jar, urllib.request.ProxyHandler({}))
        self.page = f"{site.url}/wp-admin/options-general.php?page=wos-connector"
        self._opener.open(f"{site.url}/wp-login.php", timeout=60).close()
        self.post(f"{site.url}/wp-login.php", log=user, pwd=password, testcookie="1")

    def get(self) -> str:
        with self._opener.open(self.page, timeout=60) as found:
            return str(found.read().decode())

    def post(self, url: str, **fields: str) -> str:
        with self._opener.open(url, urllib.parse.urlencode(fields).encode(), timeout=60) as found:
            return str(found.read().decode())

    def press(self, button: str) -> str:
        nonce = re.search(r'name="_wpnonce" value="(\w+)"', self.get())
        assert nonce is not None
        return self.post(self.page, _wpnonce=nonce[1], **{button: "1"})


def text_of(page: str, identity: str) -> str:
    found = re.search(rf'id="{identity}"[^>]*>(.*?)<', page, re.DOTALL)
    assert found is not None, page
    return found[1].strip()


def test_a_person_can_pair_and_disconnect_on_the_settings_page(plugin: WordPress) -> None:
    admin = Admin(plugin, "admin", "admin-password")
    assert text_of(admin.get(), "wos-state") == "Not connected."
    page = admin.press("wos_code")
    address, code = text_of(page, "wos-address"), text_of(page, "wos-code")
    assert address == f"{plugin.url}/wp-json/wos/v1" and code not in admin.get(), "a code is shown once"
    cms = HttpCms(address, "wos_cn_" + "5" * 64)
    cms.pair(code, "site_1", protocol.BASE_URL, "wos_site_secret-key")
    assert text_of(admin.get(), "wos-state").startswith("Connected to api.service.example since ")
    everything = admin.get()
    assert cms.secret not in everything and "wos_site_secret-key" not in everything
    autoloaded = plugin.sql("select option_name from wp_options where autoload = 'yes' and option_name like 'wos%'")
    assert autoloaded == [], "what is secret is not loaded with every page"
    admin.press("wos_disconnect")
    with pytest.raises(NoAccess):
        cms.status()


def test_settings_need_a_nonce_and_administrator_rights(plugin: WordPress) -> None:
    admin = Admin(plugin, "admin", "admin-password")
    with pytest.raises(urllib.error.HTTPError) as refused:
        admin.post(admin.page, wos_code="1")
    assert refused.value.code == 403
    body = {"username": "eve", "email": "eve@example.test", "password": "eve-password", "roles": ["editor"]}
    user = plugin.rest("POST", "/wp/v2/users", body)
    try:
        with pytest.raises(urllib.error.HTTPError) as refused:
            Admin(plugin, "eve", "eve-password").get()
        assert refused.value.code == 403
    finally:
        plugin.rest("DELETE", f"/wp/v2/users/{user['id']}?force=true&reassign=1")
    assert plugin.sql("select 1 from wp_options where option_name = 'wos_code'") == []
