"""Rules for crawlers and llms.txt: edited, shown as an exact difference, approved as shown or not at all."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from chalicelib.domain.readiness.robots_block import block_of, with_block
from chalicelib.domain.readiness.written import MOST_CHARACTERS
from chalicelib.store import changes
from chalicelib.store.websites import Website
from chalicelib.web.screens import crawler_rules, llms_text
from tests import aws
from tests.api import seed
from tests.api.conftest import House, settle
from tests.api.live import TEXT, Files
from tests.servers.wire import WireServer
from tests.web.conftest import Browser, Screen, signed_in, viewer

ROBOTS = b"User-agent: *\nDisallow: /cart\n\nUser-agent: GPTBot\nDisallow: /\n"
HOSTILE = "# </textarea><script>alert(1)</script>\"'><img src=x onerror=alert(1)>\n"


@pytest.fixture
def house(store: None) -> House:
    return settle(plan="enterprise")


@pytest.fixture
def files() -> Files:
    return Files({"/robots.txt": ROBOTS, "/llms.txt": TEXT})


@pytest.fixture
def site(house: House, files: Files, loopback_allowed: None) -> Iterator[Website]:
    from chalicelib.domain.accounts.rights import OPERATOR
    from chalicelib.operations import websites

    with WireServer(files) as server:
        found = websites.add(OPERATOR, house.workspace_id, server.url(), name="Served")
        seed.connected(found)
        yield found


@pytest.fixture
def rules(site: Website) -> str:
    return f"/app/sites/{site.id}/ai-readiness/crawlers"


@pytest.fixture
def llms(site: Website) -> str:
    return f"/app/sites/{site.id}/ai-readiness/llms-txt"


def fields(screen: Screen) -> dict[str, str]:
    """What a browser would send of the form, without a button."""
    form = screen.dom.css_first("main form[method=post]")
    assert form is not None, screen.main
    found = {str(one.attributes["name"]): one.attributes.get("value") or "" for one in form.css("input[name]")}
    for one in form.css("select"):
        chosen = one.css_first("option[selected]")
        found[str(one.attributes["name"])] = "" if chosen is None else str(chosen.attributes["value"] or "")
    for one in form.css("textarea"):
        found[str(one.attributes["name"])] = one.text().removeprefix("\n")
    return found


def lines(screen: Screen, kind: str) -> list[str]:
    """The lines of the difference of a kind."""
    return [
        "".join(child.text_content or "" for child in one.iter(include_text=True) if child.tag == "-text")
        for one in screen.dom.css(f".lines .{kind}")
    ]


def approved(site: Website) -> list[tuple[str, str]]:
    batches = sorted(changes.list_all(site.id), key=lambda one: one.sequence)
    loaded = [changes.load(site.id, batch.id) for batch in batches]
    return [(change.field, change.value) for one in loaded if one is not None for change in one.changes]


# -- rules for crawlers ------------------------------------------------------------------------------------


def test_crawler_rules_are_previewed_and_approved_and_their_progress_is_shown(
    site: Website, browser: Browser, rules: str
) -> None:
    screen = browser.get(rules)
    assert "blocked" in screen.main and fields(screen)["rule-GPTBot"] == ""
    shown = browser.post(rules, fields(screen) | {"rule-GPTBot": "allow", "rule-CCBot": "deny", "do": "preview"})
    made = with_block(ROBOTS, block_of(ROBOTS, {"GPTBot": "allow", "CCBot": "deny"}))
    assert shown.status == 200 and lines(shown, "gone") == []
    added = made.decode().removeprefix(ROBOTS.decode()).split("\n")
    assert lines(shown, "new") == added[1:] and "User-agent: CCBot" in added
    assert approved(site) == [], "nothing is approved before it is seen"
    done = browser.follow(browser.post(rules, fields(shown) | {"do": "approve"}))
    assert approved(site) == [("ai_crawlers", json.dumps({"CCBot": "deny", "GPTBot": "allow"}, separators=(",", ":")))]
    assert "AI crawler rules" in done.heading and done.dom.css("[data-live]")
    assert "still being written" in browser.get(rules).main


@pytest.mark.parametrize("when", ["live", "chosen", "written", "forged"])
def test_a_value_is_not_approved_if_it_differs_from_the_preview(
    site: Website, browser: Browser, rules: str, files: Files, when: str
) -> None:
    shown = browser.post(rules, fields(browser.get(rules)) | {"rule-CCBot": "deny", "do": "preview"})
    sent = fields(shown) | {"do": "approve"}
    before: list[Any] = []
    if when == "live":
        files.pages["/robots.txt"] = ROBOTS + b"Sitemap: https://acme.example/sitemap.xml\n"
    elif when == "chosen":
        sent["rule-GPTBot"] = "allow"
    elif when == "forged":
        sent["digest"] = "0" * 64
    else:
        other = browser.post(rules, fields(browser.get(rules)) | {"rule-GPTBot": "deny", "do": "preview"})
        assert browser.post(rules, fields(other) | {"do": "approve"}).status == 303
        before = approved(site)
    refused = browser.post(rules, sent)
    assert refused.status == 409 and crawler_rules.CHANGED in refused.main
    assert approved(site) == before
    assert browser.post(rules, fields(refused) | {"do": "approve"}).status == 303, "as it is shown now"


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (lambda connection: connection.answer(b"no", "503 Service Unavailable"), crawler_rules.UNREADABLE),
        (lambda connection: connection.answer(b"<html><p>Hi", content_type="text/html"), crawler_rules.UNREADABLE),
        (b"x" * 600_000, "already so long"),
    ],
)
def test_an_unreadable_robots_txt_cannot_be_edited(
    site: Website, browser: Browser, rules: str, files: Files, file: Any, said: str
) -> None:
    files.pages["/robots.txt"] = file
    screen = browser.get(rules)
    for do in ("preview", "approve"):
        refused = browser.post(rules, fields(screen) | {"rule-CCBot": "deny", "do": do})
        assert said in refused.main and "digest" not in fields(refused)
    assert approved(site) == []


def test_a_missing_file_is_created(site: Website, browser: Browser, rules: str, files: Files) -> None:
    del files.pages["/robots.txt"]
    shown = browser.post(rules, fields(browser.get(rules)) | {"rule-CCBot": "deny", "do": "preview"})
    assert "Disallow: /" in lines(shown, "new") and "digest" in fields(shown)


def test_without_a_cms_a_preview_is_shown_but_cannot_be_approved(
    site: Website, browser: Browser, rules: str, llms: str
) -> None:
    seed.connected(site, writable=False, reason="Updates are off.")
    for path, typed in ((rules, {"rule-CCBot": "deny"}), (llms, {"text": "# New"})):
        shown = browser.post(path, fields(browser.get(path)) | typed | {"do": "preview"})
        assert lines(shown, "new") and "Updates are off." in shown.main
        assert browser.post(path, fields(shown) | {"do": "approve", "digest": "x"}).status == 409
    assert approved(site) == []


def test_sending_one_form_repeatedly_approves_once(site: Website, browser: Browser, rules: str) -> None:
    shown = browser.post(rules, fields(browser.get(rules)) | {"rule-CCBot": "deny", "do": "preview"})
    sent = fields(shown) | {"do": "approve"}
    with ThreadPoolExecutor(3) as pool:
        answers = {one.status for one in pool.map(lambda _: browser.post(rules, sent), range(3))}
    assert 303 in answers and answers <= {303, 409}
    assert len(approved(site)) == 1


def test_approving_unchanged_rules_is_refused(site: Website, browser: Browser, rules: str) -> None:
    shown = browser.post(rules, fields(browser.get(rules)) | {"do": "preview"})
    assert "The file stays as it is." in shown.main
    refused = browser.post(rules, fields(shown) | {"do": "approve"})
    assert refused.status == 409 and "nothing to remove" in refused.main and approved(site) == []


# -- llms.txt ----------------------------------------------------------------------------------------------


def test_llms_txt_is_edited_beside_the_live_text_and_approved(site: Website, browser: Browser, llms: str) -> None:
    seed.audited(site)
    screen = browser.get(llms)
    assert fields(screen)["text"] == TEXT.decode()
    draft = fields(browser.get(f"{llms}?from=draft"))["text"]
    assert draft.startswith("# ") and draft != TEXT.decode()
    new = TEXT.decode().replace("All we sell.", "All we sell, and mend.")
    shown = browser.post(llms, fields(screen) | {"text": new.replace("\n", "\r\n"), "do": "preview"})
    assert lines(shown, "gone") == ["> All we sell."] and lines(shown, "new") == ["> All we sell, and mend."]
    assert fields(shown)["text"] == new
    done = browser.follow(browser.post(llms, fields(shown) | {"do": "approve"}))
    assert approved(site) == [("llms_txt", new)] and done.dom.css("[data-live]")


@pytest.mark.parametrize("when", ["live", "typed"])
def test_a_text_is_not_approved_if_the_live_file_has_changed(
    site: Website, browser: Browser, llms: str, files: Files, when: str
) -> None:
    shown = browser.post(llms, fields(browser.get(llms)) | {"text": "# New\n", "do": "preview"})
    sent = fields(shown) | {"do": "approve"}
    if when == "live":
        files.pages["/llms.txt"] = TEXT + b"- more\n"
    else:
        sent["text"] = "# Newer\n"
    refused = browser.post(llms, sent)
    assert refused.status == 409 and llms_text.CHANGED in refused.main and approved(site) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x" * (MOST_CHARACTERS + 5), "more than 60,000 characters"),
        ("<!doctype html><html><p>Hi", "it is a web page"),
        ("a\x00b", "cannot be published"),
    ],
)
def test_a_text_that_cannot_be_published_is_refused_with_a_reason(
    site: Website, browser: Browser, llms: str, text: str, said: str
) -> None:
    shown = browser.post(llms, fields(browser.get(llms)) | {"text": text, "do": "preview"})
    sent = fields(shown) | {"do": "approve", "text": text}
    refused = browser.post(llms, sent)
    assert refused.status in (409, 422) and said in refused.main and approved(site) == []


def test_hostile_texts_are_escaped(site: Website, browser: Browser, llms: str, rules: str, files: Files) -> None:
    files.pages |= {"/llms.txt": HOSTILE.encode(), "/robots.txt": HOSTILE.encode()}
    for path, typed in ((llms, {"text": HOSTILE * 2}), (rules, {"rule-CCBot": "deny"})):
        screen = browser.get(path)
        shown = browser.post(path, fields(screen) | typed | {"do": "preview"})
        for one in (screen, shown):
            assert not one.dom.css("img, script:not([src]), [onerror]")
        assert HOSTILE.strip() in "\n".join(lines(shown, "new") + lines(shown, "same"))


def test_a_file_that_is_too_long_to_be_read_is_not_offered_for_editing(
    site: Website, browser: Browser, llms: str, files: Files
) -> None:
    files.pages["/llms.txt"] = b"- line\n" * 60_000
    screen = browser.get(llms)
    assert fields(screen)["text"] == ""
    shown = browser.post(llms, fields(screen) | {"text": "# New\n", "do": "preview"})
    assert llms_text.UNREADABLE in shown.main and "digest" not in fields(shown)


def test_viewers_can_read_the_files_and_strangers_cannot(
    house: House, site: Website, browser: Browser, rules: str, llms: str
) -> None:
    sent = fields(browser.get(rules))
    client, others = viewer(house, site.id), signed_in(settle("Others", "others.example"))
    token = client.get("/app/sessions").dom.css_first("input[name=token]").attributes["value"]
    for path in (rules, llms):
        assert client.get(path).status == 200 and not client.get(path).dom.css("main form, main textarea")
        assert client.post(path, sent | {"token": token, "do": "approve"}).status == 403
        assert others.get(path).status == 404
    assert approved(site) == [] and aws.messages("writes") == []
