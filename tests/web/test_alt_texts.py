"""Pictures are described on a screen of their own: what is typed arrives once, and what is refused is said."""

from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.changes.writability import NO_FILES_SCOPE
from chalicelib.domain.connections import WriterKind
from chalicelib.domain.crawl.shop_addresses import NOT_A_FILE
from chalicelib.store import changes, issues
from chalicelib.store.transactions import commit
from chalicelib.web.offering import NOT_TICKED
from chalicelib.web.replies import POLICY
from chalicelib.web.screens.alt_texts import EMPTY, MOST
from chalicelib.web.screens.issue import NOTHING_TICKED
from tests.api import seed
from tests.api.conftest import House
from tests.web.conftest import Browser, Screen, viewer
from tests.web.test_issue_approval import HOSTILE, nothing_approved

RULE = "SEO-IMG-001"
FOX = "A fox in the snow"
SRC = "https://pictures.example/fox.jpg"
IMAGES: list[dict[str, object]] = [
    {"src": SRC, "alt": None, "occurrence": 1, "suggested": FOX, "suggestedFrom": "caption"},
    {"src": SRC, "alt": HOSTILE, "occurrence": 2},
]


def found(
    house: House,
    images: list[dict[str, object]] | None = None,
    pages: int = 1,
    count: int | None = None,
    kind: WriterKind = "cms",
) -> str:
    """Leave an issue whose pages show these images; the path of its pictures."""
    seed.audited(house.site)
    seed.connected(house.site, count=pages, kind=kind, fields=("alt", "title"))
    images = IMAGES if images is None else images
    evidence = {"message": "It is so.", "images": images, "count": len(images) if count is None else count}
    urls = [seed.url(house.site, number) for number in range(pages)]
    affected = [AffectedPage(url, ids.page_id(house.site.id, url), evidence, 1, 1) for url in urls]
    issue_id = ids.issue_id(house.site.id, RULE)
    listed = issues.affected_writes(house.site.id, issue_id, seed.AUDIT, affected)
    issue = Issue(
        id=issue_id,
        rule_id=RULE,
        status="open",
        affected_pages=pages,
        applicable_pages=pages,
        first_seen=clock.now(),
        last_seen=clock.now(),
        summary="Pages show it.",
        affected_crawl=seed.AUDIT,
        affected_chunks=len(listed),
    )
    for write in listed:
        commit([write])
    book = issues.load_state(house.site.id)
    assert book is not None
    book.issues = [*(known for known in book.issues if known.id != issue_id), issue]
    book.version += 1
    commit([issues.put_state(house.site.id, book, replaces=book.version - 1)])
    return f"/app/sites/{house.site.id}/issues/{issue_id}/images"


def sent(screen: Screen, **changed: Any) -> dict[str, Any]:
    """What a browser would send of the form as it stands there, with these values."""
    form = screen.dom.css_first("main form[method=post]")
    assert form is not None, screen.main
    fields: dict[str, Any] = {"tick": [], "decorates": []}
    for one in form.css("input[name], textarea[name]"):
        name = str(one.attributes["name"])
        if one.attributes.get("type") == "checkbox":
            if "checked" in one.attributes:
                fields[name].append(str(one.attributes["value"]))
        else:
            fields[name] = one.text().removeprefix("\n") if one.tag == "textarea" else one.attributes["value"]
    return fields | changed


def names(screen: Screen) -> list[str]:
    """The images of the form, in order."""
    return [str(one.attributes["name"]).removeprefix("text-") for one in screen.dom.css("textarea")]


def approved(house: House) -> list[tuple[str | None, str]]:
    """Key and value of every change, oldest batch first."""
    batches = sorted(changes.list_all(house.site.id), key=lambda one: one.sequence)
    loaded = [changes.load(house.site.id, batch.id) for batch in batches]
    return [(change.key, change.value) for one in loaded if one is not None for change in one.changes]


def test_images_are_shown_beside_their_field_and_on_no_other_screen(house: House, browser: Browser) -> None:
    path = found(house)
    screen = browser.get(path)
    pictures = screen.dom.css("main img")
    assert [one.attributes["src"] for one in pictures] == [SRC, SRC]
    assert {one.attributes["referrerpolicy"] for one in pictures} == {"no-referrer"}
    assert {one.attributes["loading"] for one in pictures} == {"lazy"}
    assert "img-src 'self' data: https://pictures.example;" in screen.headers["content-security-policy"]
    issue = browser.get(path.removesuffix("/images"))
    assert issue.headers["content-security-policy"] == POLICY and not issue.dom.css("main img")
    assert path in [one.attributes["href"] for one in issue.dom.css("main a")]
    assert "From the picture's caption." in screen.main and "number 2 on the page" in screen.main
    assert not screen.dom.css("main script") and HOSTILE in screen.main


@pytest.mark.parametrize(
    "src",
    [
        "http://pictures.example/a.png",
        "https://intranet/a.png",
        "https://10.0.0.1/a.png",
        "https://8.8.8.8/a.png",
        "https://[fd00::1]/a.png",
        "https://[::ffff:a00:1]/a.png",
        "https://2130706433/a.png",
        "https://0x7f.1/a.png",
        "https://192.168.1.1./a.png",
        "https://router.local/a.png",
        "https://wiki.corp.internal/a.png",
        "https://printer.lan/a.png",
        "https://nas.home.arpa/a.png",
        "https://a.localhost/a.png",
        "https://ROUTER.LOCAL/a.png",
        "https://router.local./a.png",
        "https://pictures.example@router.local/a.png",
        "https://router.local#.example/a.png",
        "https://router.local\\.example/a.png",
        "https://a.example;script-src */a.png",
        "https://a.example https:/a.png",
        "data:image/png;base64,AAAA",
        "https://pictures.example",
        "",
    ],
)
def test_an_image_in_a_private_network_is_shown_only_as_an_address(src: str, house: House, browser: Browser) -> None:
    path = found(house, [*IMAGES, {"src": src, "alt": None, "occurrence": 1}])
    screen = browser.get(path)
    assert [one.attributes["src"] for one in screen.dom.css("main img")] == [SRC, SRC]
    assert screen.main.count("Not shown: only pictures with https") == 1 and src in screen.main
    assert "img-src 'self' data: https://pictures.example;" in screen.headers["content-security-policy"]


def test_the_security_policy_allows_the_origins_of_shown_images_with_their_ports(
    house: House, browser: Browser
) -> None:
    own = f"https://www.{house.site.host}/a.png"
    shown = [own, "https://pictures.example:8443/a.png", "https://xn--bcher-kva.example/a.png"]
    screen = browser.get(found(house, [{"src": src, "alt": None, "occurrence": 1} for src in shown]))
    assert [one.attributes["src"] for one in screen.dom.css("main img")] == shown
    origins = " ".join(sorted(src.removesuffix("/a.png") for src in shown))
    assert f"img-src 'self' data: {origins};" in screen.headers["content-security-policy"]


def test_the_history_of_approved_alt_texts_counts_images(house: House, browser: Browser) -> None:
    path = found(house)
    screen = browser.get(path)
    first, second = names(screen)
    browser.post(path, sent(screen, tick=[first, second], decorates=[second]))
    history = browser.get(path.removesuffix("/images")).dom.css_first("#history")
    assert history is not None and "2 images" in history.text() and "2 pages" not in history.text()


def test_suggested_typed_and_decorative_alt_texts_are_approved_once(house: House, browser: Browser) -> None:
    path = found(house)
    screen = browser.get(path)
    first, second = names(screen)
    form = sent(screen)
    assert form["tick"] == [first] and form[f"text-{first}"] == FOX and form[f"text-{second}"] == ""
    form |= {"tick": [first, second], f"text-{second}": "A bear"}
    done = browser.follow(browser.post(path, form))
    assert (
        "Approved. The values are written" in done.main
        and f"{SRC} 2".removeprefix("https://pictures.example") in done.main
    )
    browser.post(path, form)  # pressed twice
    assert approved(house) == [(f"{SRC} 1", FOX), (f"{SRC} 2", "A bear")]
    again = browser.get(path)
    assert sent(again)["tick"] == [] and "A text is being written for this picture." in again.main
    plain = sent(again, tick=[second], decorates=[second])
    browser.post(path, plain)
    assert approved(house)[2:] == [(f"{SRC} 2", "")]


def test_a_viewer_sees_no_form_and_forged_forms_change_nothing(house: House, browser: Browser) -> None:
    path = found(house)
    fields = sent(browser.get(path))
    client = viewer(house, house.site.id)
    screen = client.get(path)
    assert FOX in screen.main and not screen.dom.css("main form[method=post], main textarea")
    token = client.get("/app/sessions").dom.css_first("input[name=token]").attributes["value"]
    assert client.post(path, fields | {"token": token}).status == 403
    assert browser.post(path, fields | {"token": "forged"}).status == 403
    assert nothing_approved()
    assert browser.post(path, fields).status == 303 and len(approved(house)) == 1


def test_a_refused_alt_text_keeps_the_typed_text_and_gets_a_reason(house: House, browser: Browser) -> None:
    path = found(house)
    screen = browser.get(path)
    first, second = names(screen)
    for changed, words in (
        ({"tick": []}, NOTHING_TICKED),
        ({"tick": [second]}, EMPTY),
        ({"tick": ["0" * 20]}, "is no longer listed here"),
        ({"tick": [first], f"text-{first}": "x" * 513}, "at most 512 are written"),
        ({"tick": [first], f"text-{first}": "a\u202eb"}, "cannot be written"),
    ):
        answer = browser.post(path, sent(screen, **changed))
        assert answer.status == 422 and words in answer.main, words
        assert nothing_approved()
    typed = browser.post(path, sent(screen, choose="all", **{f"text-{second}": HOSTILE}))
    assert sent(typed)["tick"] == [first, second] and sent(typed)[f"text-{second}"] == HOSTILE
    assert sent(browser.post(path, sent(screen, choose="none")))["tick"] == []
    assert sent(browser.post(path, sent(screen, choose="stay", tick=[second])))["tick"] == [second]
    empty = {f"text-{first}": "", f"text-{second}": ""}
    assert sent(browser.post(path, sent(screen, choose="all", decorates=[second], **empty)))["tick"] == [second]


def test_a_person_is_asked_once_about_a_typed_text_that_is_not_ticked(house: House, browser: Browser) -> None:
    path = found(house)
    screen = browser.get(path)
    first, second = names(screen)
    for changed in ({f"text-{second}": "A bear"}, {"decorates": [second]}):
        asked = browser.post(path, sent(screen, **changed))
        assert asked.status == 422 and NOT_TICKED in asked.main and nothing_approved()
        assert [str(row.css_first("textarea").attributes["name"]) for row in marked(asked)] == [f"text-{second}"]
        again = sent(asked)
        assert again["tick"] == [first] and changed.items() <= again.items()
    assert browser.post(path, sent(asked)).status == 303 and approved(house) == [(f"{SRC} 1", FOX)]


def marked(screen: Screen) -> list[Any]:
    return [row for row in screen.dom.css("#images tbody tr") if "Not ticked" in row.text()]


def test_many_images_are_shown_page_by_page_and_only_shown_ones_are_approved(house: House, browser: Browser) -> None:
    many = [
        {"src": f"https://pictures.example/{n}.jpg", "alt": None, "occurrence": 1, "suggested": f"Fox {n}"}
        for n in range(20)
    ]
    path = found(house, many, pages=2, count=300)
    screen = browser.get(path)
    assert len(screen.dom.css("main img")) == MOST and "1–20 of 40" in screen.main
    assert "560 more are listed once these are done" in screen.main
    second = str(screen.dom.css_first("a[rel=next]").attributes["href"])
    browser.post(second, sent(browser.get(second)))
    batch = changes.list_all(house.site.id)[0]
    loaded = changes.load(house.site.id, batch.id)
    assert loaded is not None and {change.url for change in loaded.changes} == {seed.url(house.site, 1)}
    for odd in ("-1", "x", "9999999", "١", "999999"):
        assert browser.get(f"{path}?image={odd}").status == 200


def test_images_that_cannot_be_written_have_a_reason(house: House, browser: Browser) -> None:
    old: list[dict[str, object]] = [
        {"src": SRC, "alt": None},
        {"src": "https://pictures.example/" + "x" * 200 + "…", "alt": None, "occurrence": 1},
        {"src": "http://pictures.example/old.jpg", "alt": "", "occurrence": 1},
    ]
    path = found(house, old)
    screen = browser.get(path)
    assert "Check the page again first" in screen.main and "is too long to identify" in screen.main
    assert "Not shown: only pictures with https" in screen.main and len(screen.dom.css("main img")) == 2
    assert len(names(screen)) == 1
    seed.connected(house.site, fields=("title",))
    without = browser.get(path)
    assert "cannot write text alternatives of images" in without.main and not without.dom.css("main form[method=post]")


def test_an_issue_that_is_not_about_images_lists_no_images(house: House, browser: Browser) -> None:
    seed.audited(house.site)
    issue_id = ids.issue_id(house.site.id, seed.PAGE_RULE.id)
    screen = browser.get(f"/app/sites/{house.site.id}/issues/{issue_id}/images")
    assert screen.status == 200 and "No picture to describe" in screen.main
    assert browser.get(f"/app/sites/{house.site.id}/issues/iss_nothing/images").status == 404


def test_all_images_of_one_shop_file_share_one_text(house: House, browser: Browser) -> None:
    file = f"{house.site.url}cdn/shop/files/fox.jpg"
    images: list[dict[str, object]] = [
        {"src": f"{file}?v=1", "alt": None, "occurrence": 1, "suggested": FOX, "suggestedFrom": "caption"},
        {"src": f"{file}?v=1&width=600", "alt": None, "occurrence": 1},
        {"src": f"{house.site.url}images/map.png", "alt": None, "occurrence": 1},
    ]
    path = found(house, images, kind="shop")
    screen = browser.get(path)
    assert "it changes on every page that shows the file" in screen.main and "plugin" not in screen.main
    assert screen.main.count("2 pictures of this list show the same file") == 2
    assert f"Not writable: {NOT_A_FILE}" in screen.main and "Written through the shop" in screen.main
    first, second = names(screen)
    both = sent(screen, tick=[first, second])
    refused = browser.post(path, both | {f"text-{second}": "Another fox"})
    assert refused.status == 422 and "Give all of them the same text" in refused.main and nothing_approved()
    browser.post(path, both | {f"text-{second}": FOX})
    assert approved(house) == [(f"{file}?v=1 1", FOX), (f"{file}?v=1&width=600 1", FOX)]


def test_a_missing_shop_scope_is_named_and_hides_the_form(house: House, browser: Browser) -> None:
    path = found(house, kind="shop")
    seed.connected(house.site, count=1, kind="shop", fields=("title",))
    screen = browser.get(path)
    assert NO_FILES_SCOPE in screen.main and not screen.dom.css("main form[method=post] textarea")
