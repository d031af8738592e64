"""From finding to fixed on a real WordPress: the service audits it, a customer approves, the page changes and changes
back, and whatever comes in between is met as the documents say.

The website, the service and the plugin are the real ones, each in processes of its own. Every test leaves the values of
the website as it found them.
"""

import json
import secrets
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from chalicelib.connectors.cms import HttpCms
from chalicelib.domain.connector.messages import Field
from local.report import ApiRefusal
from tests.connectors import protocol
from tests.real.connected import PAGES, PLUGINS, Connected, suggested, wait
from tests.real.service import audited
from tests.real.wordpress import started
from tests.real.wordpress_shop import ACCOUNT, LONG, SAME, fill
from tests.real.wordpress_subject import PLUGIN, Head, Subject, changed, everything, only

pytestmark = pytest.mark.real

RULES: Final[dict[Field, str]] = {
    "title": "SEO-ONP-005",  # too long
    "meta_description": "SEO-ONP-010",  # missing
    "canonical": "SEO-CON-002",  # exact duplicates
    "noindex": "SEO-CON-008",  # log-in pages
}
MINUTE, HOUR = 60, 3_600


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connected]:
    """The website, audited and connected. What it stored before the plugin came is in ``untouched``."""
    folder, wire = tmp_path_factory.mktemp("service"), tmp_path_factory.mktemp("wire")
    with started(config=f"define('WIRE_FOLDER', '{wire}');") as site:
        (site.root / "wp-content" / "mu-plugins" / "wire.php").write_bytes((PLUGINS / "wire.php").read_bytes())
        fill(site)
        site.run_cron()  # WordPress does what it does once by itself
        untouched = everything(site)
        site.activate(PLUGIN)
        with audited(folder, f"{site.url}/", PAGES, LOG_LEVEL="DEBUG") as service:
            shop = Connected(site, service, folder, wire, untouched)
            assert service.audit["status"] == "done"
            connected = shop.pair()
            assert (connected["platform"], connected["writable"]) == ("wordpress", True)
            shop.clock_strikes()
            assert shop.audit()["status"] == "done"
            yield shop
            assert service.errors() == []
        assert site.complaints() == []


def told(shop: Connected, kind: str, batch_id: str) -> list[dict[str, Any]]:
    """The events of this kind that arrived about a batch."""
    return [event for event in shop.events(kind) if event["batchId"] == batch_id]


def about(shop: Connected, kind: str, issue: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of this kind that arrived about the issue's last recheck."""
    of_recheck = [event for event in shop.events(kind) if event["crawlId"] == issue["lastRecheck"]["crawlId"]]
    assert all(event["issue"]["id"] == issue["id"] for event in of_recheck)
    return of_recheck


def arrives(events: Callable[[], list[dict[str, Any]]], what: str) -> dict[str, Any]:
    """The one event of these, once it is there."""
    wait(lambda: events() != [], what)
    (event,) = events()
    return event


def change_of(issue: dict[str, Any], url: str) -> dict[str, Any]:
    (change,) = [one for one in issue["lastChange"]["changes"] if one["url"] == url]
    return dict(change)


def shown(shop: Connected, url: str, field: Field) -> str | None:
    return only(Head(shop.head(url)), field)


def wanted(issue: dict[str, Any]) -> dict[str, str]:
    """A value for every page of the issue that needs one: what is suggested, else what the owner writes."""
    if issue["writableField"] != "meta_description":
        return suggested(issue)
    own = {page["url"]: f"The shop of the club tells here what there is at {page['url']}" for page in issue["pages"]}
    return own | suggested(issue)


def test_the_plugin_pushes_all_content_of_the_website(shop: Connected) -> None:
    (rows,) = shop.site.sql("select count(*) from wp_wos_state where name like 'told:%'")
    count = int(rows[0])
    assert count == 1 + len(LONG) + 2 * len(SAME) + len(ACCOUNT) + 3  # the front page, and what WordPress comes with
    assert shop.connection()["rowsLastImport"] == count
    for field, rule in RULES.items():
        issue = shop.issue(rule)
        assert issue["writableField"] == field and wanted(issue) != {}
        assert all(one["writable"] for one in issue["suggestions"]), issue["suggestions"]


def test_an_editors_save_is_pushed_to_the_service(shop: Connected) -> None:
    kept = shop.site.rest("GET", "/wp/v2/categories?slug=uncategorized")[0]
    try:
        shop.site.rest("POST", f"/wp/v2/categories/{kept['id']}", {"description": "What is in no other category"})
        shop.clock_strikes()
        assert shop.connection()["rowsLastImport"] == 1
        problem = shop.site.run("echo json_encode(get_option('wos_problem'));")
        assert problem is False or "answered 404" in problem["text"], "a service may not take alerts yet"
    finally:
        shop.site.rest("POST", f"/wp/v2/categories/{kept['id']}", {"description": kept["description"]})
        shop.saves_are_told()


@pytest.mark.parametrize("field", RULES)
def test_a_fix_goes_live_resolves_its_issue_and_can_be_undone(shop: Connected, field: Field) -> None:
    rule = RULES[field]
    issue = shop.issue(rule)
    values, score, gain = wanted(issue), shop.score(), shop.gain(issue["id"])
    heads = {url: shop.head(url) for url in values}
    assert gain > 0 and all(only(Head(head), field) != values[url] for url, head in heads.items())

    batch = shop.apply(issue["id"], values)
    resolved = shop.settled(rule, since=issue["lastRecheck"])
    assert {change["url"]: change["status"] for change in resolved["lastChange"]["changes"]} == dict.fromkeys(
        values, "applied"
    )
    assert {url: shown(shop, url, field) for url in values} == values
    assert (resolved["status"], resolved["affectedPages"]) == ("resolved", 0)
    assert shop.score() == score + gain
    applied = arrives(lambda: told(shop, "write.applied", batch), "write.applied")
    assert {one["url"]: (one["value"], one["status"]) for one in applied["changes"]} == {
        url: (value, "applied") for url, value in values.items()
    }
    assert arrives(lambda: about(shop, "issue.resolved", resolved), "issue.resolved")["issue"]["ruleId"] == rule
    assert not told(shop, "write.failed", batch) and not told(shop, "write.not_live", batch)

    shop.undo(batch)
    back = shop.settled(rule, since=resolved["lastRecheck"])
    assert {url: shop.head(url) for url in values} == heads
    assert {change["status"] for change in back["lastChange"]["changes"]} == {"reverted"}
    assert (back["status"], back["affectedPages"]) == ("reopened", issue["affectedPages"])
    assert (shop.score(), shop.gain(issue["id"])) == (score, gain)
    arrives(lambda: about(shop, "issue.reopened", back), "issue.reopened")


def test_a_page_cache_that_is_not_recognised_hides_a_change_until_it_is_emptied(shop: Connected) -> None:
    rule, url = RULES["title"], shop.url("tent-pegs")
    issue, head = shop.issue(rule), shop.head(url)
    (value,) = suggested(issue, [url]).values()
    shop.site.activate(PLUGINS / "page-store.php")
    try:
        shop.site.run("update_option('page_store_of', ['/tent-pegs/']);")
        assert shop.head(url) == head  # a visitor, by whom it is stored

        batch = shop.apply(issue["id"], {url: value})
        hidden = shop.settled(rule, since=issue["lastRecheck"])
        change = change_of(hidden, url)
        assert (change["status"], change["live"], change["liveValue"]) == ("not_live", False, Head(head).titles[0])
        assert change["notLiveReason"] == "The page shows another title. The CMS reported no page cache."
        assert change["appliedAt"] is not None and shop.head(url) == head
        assert hidden["status"] in ("open", "reopened") and hidden["affectedPages"] == issue["affectedPages"]
        written = arrives(lambda: told(shop, "write.applied", batch), "write.applied")
        assert [one["status"] for one in written["changes"]] == ["not_live"]
        unseen = arrives(lambda: told(shop, "write.not_live", batch), "write.not_live")
        assert unseen["changes"][0]["liveValue"] == Head(head).titles[0]
        assert arrives(lambda: about(shop, "recheck.failed", hidden), "recheck.failed")["reason"] == "not_live"

        shop.site.run("delete_option('page_store_of'); delete_option('page_store');")
        seen = shop.recheck(rule)
        assert (change_of(seen, url)["status"], change_of(seen, url)["live"]) == ("applied", True)
        assert shown(shop, url, "title") == value and seen["affectedPages"] == issue["affectedPages"] - 1
        assert arrives(lambda: about(shop, "recheck.failed", seen), "recheck.failed")["reason"] == "still_present"
        assert len(told(shop, "write.not_live", batch)) == len(told(shop, "write.applied", batch)) == 1

        shop.undo(batch)
        shop.settled(rule, since=seen["lastRecheck"])
        assert shop.head(url) == head
    finally:
        shop.site.run("delete_option('page_store_of'); delete_option('page_store');")
        shop.site.uninstall("page-store.php")


def test_the_connection_is_broken_while_the_plugin_is_switched_off(shop: Connected) -> None:
    rule, url = RULES["title"], shop.url("wool-socks")
    issue, head = shop.issue(rule), shop.head(url)
    values = suggested(issue, [url])
    broken = len(shop.events("connection.broken"))
    with shop.plugin_off():
        checked = shop.check()
        assert checked["failures"] == 1 and checked["writable"] and "plugin is switched off" in checked["error"]
        shop.let_pass(6 * HOUR + 20 * MINUTE)  # the next look, and two more
        arrives(lambda: shop.events("connection.broken")[broken:], "connection.broken")
        assert not shop.service.get("")["cms"]["writable"]
        with pytest.raises(ApiRefusal) as refused:
            shop.apply(issue["id"], values)
        assert refused.value.error["code"] == "cms_not_writable" and "off" in refused.value.error["message"]
        shop.let_pass(3 * HOUR)
        assert len(shop.events("connection.broken")) == broken + 1, "it is told once"

    shop.let_pass(HOUR)
    assert shop.service.get("")["cms"]["writable"]
    batch = shop.apply(issue["id"], values)
    again = shop.settled(rule, since=issue["lastRecheck"])
    assert change_of(again, url)["status"] == "applied" and shown(shop, url, "title") == values[url]
    shop.undo(batch)
    shop.settled(rule, since=again["lastRecheck"])
    assert shop.head(url) == head


def test_an_approval_is_written_after_the_plugin_is_switched_on_again(shop: Connected) -> None:
    rule, url = RULES["title"], shop.url("gas-stoves")
    issue, head = shop.issue(rule), shop.head(url)
    values = suggested(issue, [url])
    with shop.plugin_off():
        batch = shop.apply(issue["id"], values)
        wait(lambda: change_of(shop.issue(rule), url)["error"] is not None, "the first try")
        tried = change_of(shop.issue(rule), url)
        assert tried["status"] == "approved" and "plugin is switched off" in tried["error"] and shop.head(url) == head
    shop.let_pass(3 * MINUTE)
    written = shop.settled(rule, since=issue["lastRecheck"])
    assert change_of(written, url)["status"] == "applied" and shown(shop, url, "title") == values[url]
    shop.undo(batch)
    shop.settled(rule, since=written["lastRecheck"])
    assert shop.head(url) == head


# -- SEO plugins -------------------------------------------------------------------------------------------

KEYS: Final[dict[str, tuple[str, dict[Field, str]]]] = {
    "seo-like-yoast.php": (
        "yoast",
        {
            "title": "_yoast_wpseo_title",
            "meta_description": "_yoast_wpseo_metadesc",
            "canonical": "_yoast_wpseo_canonical",
            "noindex": "_yoast_wpseo_meta-robots-noindex",
        },
    ),
    "seo-like-rank-math.php": (
        "rank_math",
        {
            "title": "rank_math_title",
            "meta_description": "rank_math_description",
            "canonical": "rank_math_canonical_url",
            "noindex": "rank_math_robots",
        },
    ),
    "seo-like-tsf.php": (
        "the_seo_framework",
        {
            "title": "_genesis_title",
            "meta_description": "_genesis_description",
            "canonical": "_genesis_canonical_uri",
            "noindex": "_genesis_noindex",
        },
    ),
}
MARKS: Final = {"_yoast_wpseo_meta-robots-noindex": "1", "rank_math_robots": "noindex", "_genesis_noindex": "1"}


@pytest.fixture
def seo(shop: Connected, request: pytest.FixtureRequest) -> Iterator[str]:
    """An SEO plugin is active, and the service knows it."""
    name = str(request.param)
    shop.site.activate(PLUGINS / name)
    assert shop.check()["seoPlugin"] == KEYS[name][0]
    yield name
    shop.site.uninstall(name)
    assert shop.check()["seoPlugin"] is None


@pytest.mark.parametrize("seo", KEYS, indirect=True)
def test_each_field_is_stored_in_the_matching_field_of_the_seo_plugin(shop: Connected, seo: str) -> None:
    place = list(KEYS).index(seo)
    post = list(LONG)[place]
    slugs: dict[Field, str] = {
        "title": post,
        "meta_description": post,
        "canonical": f"{list(SAME)[place]}-copy",
        "noindex": list(ACCOUNT)[place],
    }
    issues = {field: shop.issue(rule) for field, rule in RULES.items()}
    urls = {field: shop.url(slug) for field, slug in slugs.items()}
    values = {field: wanted(issues[field])[url] for field, url in urls.items()}
    stored, heads = shop.site.sql("select * from wp_postmeta"), {url: shop.head(url) for url in urls.values()}

    batches = {field: shop.apply(issues[field]["id"], {urls[field]: values[field]}) for field in RULES}
    written = {field: shop.settled(rule, since=issues[field]["lastRecheck"]) for field, rule in RULES.items()}
    for field, url in urls.items():
        assert change_of(written[field], url)["status"] == "applied", change_of(written[field], url)
        assert shown(shop, url, field) == values[field]
        key = KEYS[seo][1][field]
        ((kept,),) = shop.site.sql(f"select meta_value from wp_postmeta where meta_key = '{key}'")
        assert MARKS[key] in kept if field == "noindex" else kept == values[field]
    assert shop.site.sql("select 1 from wp_postmeta where meta_key like '\\_wos\\_%'") == []

    for batch in batches.values():
        shop.undo(batch)
    for field, rule in RULES.items():
        shop.settled(rule, since=written[field]["lastRecheck"])
    assert {url: shop.head(url) for url in heads} == heads
    assert shop.site.sql("select * from wp_postmeta") == stored


@pytest.mark.parametrize("seo", ["seo-like-yoast.php"], indirect=True)
def test_a_change_sent_again_does_not_overwrite_the_value_of_an_editor(shop: Connected, seo: str) -> None:
    rule, url = RULES["title"], shop.url("sleeping-bags")
    (item,) = shop.site.rest("GET", "/wp/v2/posts?slug=sleeping-bags")
    editor = Subject(shop.site, f"post:{item['id']}", url, dict(KEYS[seo][1]))
    issue, head = shop.issue(rule), shop.head(url)
    shop.lose_an_answer()
    batch = shop.apply(issue["id"], suggested(issue, [url]))
    wait(lambda: change_of(shop.issue(rule), url)["error"] is not None, "the first try")
    assert editor.shown("title") == suggested(issue)[url], "it was written, and the service does not know"
    editor.edit("title", "What the editor likes better")
    shop.let_pass(3 * MINUTE)
    after = shop.settled(rule, since=issue["lastRecheck"])

    first, second = [one for one in shop.asked("changes") if json.loads(one.body)["changeId"] == f"{batch}.0"]
    assert first.body == second.body and first.headers["x_wos_nonce"] != second.headers["x_wos_nonce"]
    change = change_of(after, url)
    assert (change["status"], change["previous"]) == ("not_live", None)
    assert change["liveValue"] == editor.shown("title") == "What the editor likes better"

    undo = shop.undo(batch)
    wait(lambda: shop.batch(undo)["status"] == "done", "the undo")
    (refused,) = shop.batch(undo)["changes"]
    assert refused["status"] == "refused" and "changed on the website since" in refused["error"]
    assert editor.shown("title") == "What the editor likes better"
    assert change_of(shop.issue(rule), url)["status"] == "not_live"
    editor.edit("title", None)
    assert shop.head(url) == head
    shop.saves_are_told()
    shop.recheck(rule)


# -- who may ask, what is told to nobody, what is left ------------------------------------------------------


def test_repeated_requests_of_the_service_change_nothing(shop: Connected) -> None:
    rule, url = RULES["title"], shop.url("tent-pegs")
    issue, before = shop.issue(rule), len(shop.asked())
    batch = shop.apply(issue["id"], suggested(issue, [url]))
    written = shop.settled(rule, since=issue["lastRecheck"])
    shop.undo(batch)
    shop.settled(rule, since=written["lastRecheck"])
    shop.check()
    subject = Subject(shop.site, "home", f"{shop.site.url}/")
    kept = shop.connection_as_stored()
    cms, stranger = (HttpCms(subject.address, secret) for secret in (kept["secret"], "wos_cn_" + "0" * 64))
    genuine = shop.asked()[before:]
    assert {one.operation for one in genuine} == {"changes", "status"}

    stored = everything(shop.site)
    for one in genuine:
        body = one.body.encode()
        headers = {f"X-Wos-{name}": one.headers[f"x_wos_{name.lower()}"] for name in ("Time", "Nonce", "Signature")}
        other = body.replace(b'"title"', b'"noindex"') + b" "
        for sent, signed, code in (
            (body, headers, "repeated"),
            (other, headers, "bad_signature"),
            (body, headers | {"X-Wos-Nonce": secrets.token_hex(16)}, "bad_signature"),
            (body, headers | {"X-Wos-Time": str(int(time.time()))[:-1] + "x"}, "unsigned"),
            (body, protocol.signed(cms, one.operation, body, time.time() - 310), "late"),
            (body, protocol.signed(cms, one.operation, body, time.time() + 310), "late"),
            (body, protocol.signed(stranger, one.operation, body), "bad_signature"),
        ):
            status, said = protocol.ask(subject, one.operation, sent, signed)
            assert (status, said["code"]) == (401, code), (one.operation, said)
    assert changed(stored, everything(shop.site)) == {}


def test_no_event_was_lost_or_sent_twice(shop: Connected) -> None:
    shop.let_pass(3 * HOUR)  # the last try of a delivery would be over
    told_of = shop.events("write.applied", "write.failed", "write.not_live", "issue.resolved", "issue.reopened")
    arrived = [event["id"] for event in told_of]
    assert len(set(arrived)) == len(arrived) > 0
    batches = shop.manage("changes", "list", shop.site_id)["items"]
    applied = [event["batchId"] for event in told_of if event["event"] == "write.applied"]
    assert sorted(applied) == sorted(one["id"] for one in batches if one["kind"] == "fields")
    assert not [event for event in told_of if event["event"] == "write.failed"]


def test_removing_the_plugin_restores_the_database(shop: Connected) -> None:
    own, yoast = shop.url("tent-pegs"), "seo-like-yoast.php"
    issue = shop.issue(RULES["meta_description"])
    shop.apply(issue["id"], {own: wanted(issue)[own]})
    shop.settled(RULES["meta_description"], since=issue["lastRecheck"])
    shop.site.activate(PLUGINS / yoast)
    shop.check()
    issue = shop.issue(RULES["title"])
    shop.apply(issue["id"], suggested(issue, [own]))
    shop.settled(RULES["title"], since=issue["lastRecheck"])
    kept = shop.site.sql(
        "select meta_key from wp_postmeta where meta_key in ('_yoast_wpseo_title', '_wos_meta_description')"
    )
    assert len(kept) == 2

    shop.site.uninstall(PLUGIN.name)
    shop.site.uninstall(yoast)
    assert changed(shop.untouched, everything(shop.site)) == {}


def test_logs_hold_no_key_secret_or_signature(shop: Connected) -> None:
    hidden, logs = shop.secrets(), shop.logs()
    assert len(logs) >= 3 and all(logs) and {"secret", "signature 1"} <= hidden.keys()
    assert [name for name, value in hidden.items() if any(value in log for log in logs)] == []
