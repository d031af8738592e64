"""llms.txt and the rules for crawlers on a real WordPress: written, read, taken back and removed by the real service,
where WordPress makes robots.txt, where it is a file, and where a file is not the plugin's to write."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from chalicelib.domain.crawl.robots import parse
from chalicelib.domain.readiness.robots_block import written_block
from local.report import ApiRefusal
from tests.real.connected import PAGES, PLUGINS, UNFINISHED, Connected, wait
from tests.real.service import audited
from tests.real.wordpress import started
from tests.real.wordpress_subject import PLUGIN, everything

pytestmark = pytest.mark.real

TEXT = "# The shop of the club\n\n> Ünïcode & <b>\\n</b>.\n\n- [Start](https://shop.example/): all of it\n"
OTHER = "# The shop of the club\n\n> Another text.\n\n- [Start](https://shop.example/): all of it\n"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connected]:
    folder, wire = tmp_path_factory.mktemp("service"), tmp_path_factory.mktemp("wire")
    with started(config=f"define('WIRE_FOLDER', '{wire}');") as site:
        (site.root / "wp-content" / "mu-plugins" / "wire.php").write_bytes((PLUGINS / "wire.php").read_bytes())
        site.seed(4)
        site.run_cron()
        untouched = everything(site)
        site.activate(PLUGIN)
        with audited(folder, f"{site.url}/", PAGES) as service:
            shop = Connected(site, service, folder, wire, untouched)
            shop.pair()
            yield shop
            assert service.errors() == []
        assert site.complaints() == []


def post(shop: Connected, file: str, body: dict[str, Any]) -> str:
    return str(shop.service.api.call("POST", f"{shop.service.site}/geo/{file}", body)["batchId"])


def ended(shop: Connected, file: str, batch_id: str) -> dict[str, Any]:
    """What ``GET`` tells once the batch is done."""
    wait(lambda: shop.service.get(f"/geo/{file}")["lastChange"]["status"] not in UNFINISHED, file)
    answer = shop.service.get(f"/geo/{file}")
    assert answer["lastChange"]["batchId"] == batch_id
    return answer


def publish(shop: Connected, text: str) -> dict[str, Any]:
    return ended(shop, "llms-txt", post(shop, "llms-txt", {"value": text}))


def rule(shop: Connected, **rules: str) -> dict[str, Any]:
    return ended(shop, "ai-crawlers", post(shop, "ai-crawlers", {"rules": rules}))


def undone(shop: Connected, batch_id: str) -> None:
    undo = shop.undo(batch_id)
    wait(lambda: shop.batch(undo)["status"] == "done", "the undo")


def told(shop: Connected, batch_id: str) -> list[str]:
    found = shop.events("write.applied", "write.failed", "write.not_live")
    return [event["event"] for event in found if event["batchId"] == batch_id and event["issueIds"] == []]


def by_bot(answer: dict[str, Any]) -> dict[str, Any]:
    return {one["bot"]: one for one in answer["crawlers"]}


@contextmanager
def file(shop: Connected, name: str, text: bytes, mode: int = 0o644) -> Iterator[Any]:
    path = shop.site.root / name
    path.write_bytes(text)
    path.chmod(mode)
    try:
        yield path
    finally:
        path.unlink()
        shop.check()


def test_llms_txt_can_be_published_changed_reverted_and_removed(shop: Connected) -> None:
    before = shop.service.get("/geo/llms-txt")
    assert before["live"]["kind"] == "missing" and before["canPublish"] and before["lastChange"] is None
    first = publish(shop, TEXT)
    assert (first["lastChange"]["status"], first["live"]["text"], first["live"]["matchesLastWrite"]) == (
        "applied",
        TEXT,
        True,
    )
    assert shop.site.get("/llms.txt").text == TEXT
    batch = first["lastChange"]["batchId"]
    wait(lambda: told(shop, batch) == ["write.applied"], "write.applied")
    second = publish(shop, OTHER)
    assert (second["lastChange"]["previous"], second["live"]["text"]) == (TEXT, OTHER)
    with pytest.raises(ApiRefusal) as refused:
        post(shop, "llms-txt", {"value": OTHER})
    assert refused.value.error["code"] == "no_change"
    undone(shop, second["lastChange"]["batchId"])
    back = shop.service.get("/geo/llms-txt")
    assert (back["lastChange"]["status"], back["live"]["text"], back["live"]["matchesLastWrite"]) == (
        "reverted",
        TEXT,
        True,
    )
    removed = publish(shop, "")
    assert (removed["live"]["kind"], removed["live"]["matchesLastWrite"]) == ("missing", True)
    assert shop.site.get("/llms.txt").status == 404


def test_crawler_rules_are_added_to_the_robots_txt_that_wordpress_generates(shop: Connected) -> None:
    own = shop.site.get("/robots.txt").text
    assert "Disallow: /wp-admin/" in own
    written = rule(shop, GPTBot="allow", CCBot="deny")
    assert written["lastChange"]["status"] == "applied"
    assert (by_bot(written)["GPTBot"]["matches"], by_bot(written)["CCBot"]["matches"]) == (True, True)
    live = shop.site.get("/robots.txt").text
    assert live.startswith(own)
    robots = parse(live)
    assert not robots.verdict("CCBot", "/").allowed and robots.verdict("SomeBot", "/").allowed
    # What is closed to all stays closed to who is allowed.
    assert robots.verdict("GPTBot", "/").allowed and not robots.verdict("GPTBot", "/wp-admin/x").allowed
    assert robots.verdict("GPTBot", "/wp-admin/admin-ajax.php").allowed
    assert by_bot(rule(shop, CCBot="deny"))["GPTBot"]["rule"] is None
    last = shop.service.get("/geo/ai-crawlers")["lastChange"]["batchId"]
    undone(shop, last)
    assert shop.site.get("/robots.txt").text == live
    assert shop.service.get("/geo/ai-crawlers")["rules"] == {"CCBot": "deny", "GPTBot": "allow"}
    assert rule(shop)["lastChange"]["status"] == "applied"
    assert shop.site.get("/robots.txt").text == own


@pytest.mark.parametrize(
    "own",
    [
        b"User-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\nAllow: /\n",
        b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /private/\r\n# no line end",
        b"Content-Signal: ai-train=no\nUser-agent: SomeBot",
    ],
    ids=["a group of its own", "a mark and other line ends", "a list without rules"],
)
def test_crawler_rules_are_added_to_a_robots_txt_file_and_keep_its_bytes(shop: Connected, own: bytes) -> None:
    with file(shop, "robots.txt", own) as path:
        assert shop.check()["writable"]
        written = rule(shop, GPTBot="deny", CCBot="allow")
        assert written["lastChange"]["status"] == "applied", written["lastChange"]
        assert {by_bot(written)[bot]["matches"] for bot in ("GPTBot", "CCBot")} == {True}
        live = path.read_bytes()
        assert live.startswith(own) and written_block(live) is not None
        before, after = parse(own), parse(live)
        for bot in ("SomeBot", "Googlebot", "*"):
            for address in ("/", "/private/x", "/a"):
                assert after.verdict(bot, address) == before.verdict(bot, address)
        assert rule(shop)["lastChange"]["status"] == "applied"
        assert path.read_bytes() == own


def test_a_file_that_the_plugin_cannot_write_is_reported(shop: Connected) -> None:
    with file(shop, "llms.txt", b"# By hand\n"):
        shop.check()
        answer = shop.service.get("/geo/llms-txt")
        assert answer["canPublish"] is False and answer["live"]["found"]
        with pytest.raises(ApiRefusal) as refused:
            post(shop, "llms-txt", {"value": TEXT})
        assert refused.value.error["code"] == "cms_not_writable"
    assert shop.service.get("/geo/llms-txt")["canPublish"]


def test_writing_a_file_that_someone_created_by_hand_is_refused(shop: Connected) -> None:
    """The service believes that the plugin can write the file, but the plugin refuses."""
    with file(shop, "llms.txt", b"# By hand\n"):
        answer = publish(shop, OTHER)
        assert answer["lastChange"]["status"] == "refused" and "llms.txt" in answer["lastChange"]["error"]
        wait(lambda: told(shop, answer["lastChange"]["batchId"]) == ["write.failed"], "write.failed")
        assert (shop.site.root / "llms.txt").read_bytes() == b"# By hand\n"
