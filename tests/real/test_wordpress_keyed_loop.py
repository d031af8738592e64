"""Alt texts and redirects from finding to fixed on a real WordPress: found by the audit, approved by a person in the
app, seen by visitors, and undone, with the website's database as it was before."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.real.app import App
from tests.real.connected import PAGES, PLUGINS, UNFINISHED, Connected, wait
from tests.real.service import audited
from tests.real.wordpress import started
from tests.real.wordpress_keyed import alts, upload
from tests.real.wordpress_subject import PLUGIN, changed, everything

pytestmark = pytest.mark.real

MISSING_ALT = "SEO-IMG-001"
CAPTION = "A red tent beside a lake"
TEXT = 'Two "tents" & <b>pegs</b> – C:\\Ünïcode'
GONE = "/red-tents-of-2023/?from=old"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connected]:
    folder, wire = tmp_path_factory.mktemp("service"), tmp_path_factory.mktemp("wire")
    with started(config=f"define('WIRE_FOLDER', '{wire}');") as site:
        (site.root / "wp-content" / "mu-plugins" / "wire.php").write_bytes((PLUGINS / "wire.php").read_bytes())
        site.seed(6)
        image = f'<img src="{upload(site, "tent.png")["url"]}" width="640" height="480">'
        figure = f"<figure>{image}<figcaption>{CAPTION}</figcaption></figure>"
        text = "<p>" + "A tent stands beside the lake. " * 30 + f'<a href="{GONE}">Red tents</a></p>'
        content = f"<!-- wp:html -->{figure}<p>{image}</p>{text}<!-- /wp:html -->"
        site.rest(
            "POST", "/wp/v2/pages", {"title": "Red tents", "slug": "red-tents", "status": "publish", "content": content}
        )
        link = '<p><a href="/red-tents/">Red tents</a></p>'
        (start,) = site.rest("GET", "/wp/v2/posts?slug=widget-guide-1")
        site.rest("POST", f"/wp/v2/posts/{start['id']}", {"content": start["content"]["rendered"] + link})
        site.run_cron()
        untouched = everything(site)
        site.activate(PLUGIN)
        with audited(folder, f"{site.url}/", PAGES) as service:
            shop = Connected(site, service, folder, wire, untouched)
            shop.pair()
            shop.clock_strikes()
            assert shop.audit()["status"] == "done"
            yield shop
            site.uninstall(PLUGIN.name)
            assert changed(untouched, everything(site)) == {}
            assert service.errors() == []
        assert site.complaints() == []


@pytest.fixture(scope="module")
def app(shop: Connected) -> App:
    person = shop.manage("people", "list", shop.run["workspaceId"])["items"][0]["id"]
    return App(str(shop.manage("people", "link", shop.run["workspaceId"], person)["link"]))


def batch_of(location: str) -> str:
    """The batch to whose page an approval leads."""
    return location.partition("?")[0].rpartition("/")[2]


def ended(shop: Connected, batch_id: str) -> dict[str, Any]:
    """A batch as the operator sees it, once it is done."""
    wait(lambda: shop.batch(batch_id)["status"] not in UNFINISHED, "the batch")
    return shop.batch(batch_id)


def test_alt_texts_are_approved_written_and_undone(shop: Connected, app: App) -> None:
    url = shop.url("red-tents")
    issue, text, before = shop.issue(MISSING_ALT), shop.site.get("/red-tents/").text, alts(shop.site, url)
    first, second = (key for key in before if "tent.png" in key)
    path = f"sites/{shop.site_id}/issues/{issue['id']}/images"
    action, fields = app.fields(path, "text-")
    areas = [field for field in fields if field.name.startswith("text-")]
    assert [area.value for area in areas] == [CAPTION, ""], "the second picture has no caption"
    areas[1].value = TEXT
    for field in fields:
        field.sent = field.sent or field.name == "tick"
    batch = ended(shop, batch_of(app.send(action, fields)))
    assert alts(shop.site, url) == before | {first: CAPTION, second: TEXT}, batch
    assert shop.settled(MISSING_ALT, since=issue["lastRecheck"])["status"] == "resolved"
    ended(shop, shop.undo(batch["id"]))
    assert shop.site.get("/red-tents/").text == text
    assert shop.site.sql("select meta_key from wp_postmeta where meta_key like '\\\\_wos%'") == []


def test_a_missing_address_is_redirected_and_the_redirect_is_undone(shop: Connected, app: App) -> None:
    target = shop.url("red-tents")
    assert shop.site.get(GONE).status == 404
    action, fields = app.fields(f"sites/{shop.site_id}/redirects", "value-")
    row = next(field.name.removeprefix("url-") for field in fields if field.value == shop.site.url + GONE)
    for field in fields:
        if field.name == "tick":
            field.sent = field.value == row
        elif field.name == f"value-{row}":
            field.value = target
    batch = ended(shop, batch_of(app.send(action, fields)))
    answer = shop.site.get(GONE)
    assert (answer.status, answer.headers["location"]) == (301, target), batch
    ended(shop, shop.undo(batch["id"]))
    assert shop.site.get(GONE).status == 404
    assert shop.site.sql("select option_name from wp_options where option_name = 'wos_redirects'") == []
