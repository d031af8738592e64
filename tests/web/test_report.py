"""The client report: who makes and takes back its links, who reads it, and that it says what is stored and no more."""

import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts import sign_in
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.summary import ScoreEntry
from chalicelib.domain.reports import DEFAULT_COLOUR, MOST_OPEN
from chalicelib.operations import accounts, reports, websites, workspace
from chalicelib.operations.errors import Refused
from chalicelib.store import issues, kept_audits
from chalicelib.store import reports as stored_reports
from chalicelib.store.transactions import commit
from chalicelib.web.page import Page
from chalicelib.web.routing import ROUTES
from tests import aws
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House, settle
from tests.web.conftest import Browser, Screen, signed_in, viewer
from tests.web.settings import of_role, sent
from tests.web.test_issue_approval import NO_DESCRIPTION, TITLE_TOO_LONG, suggested
from tests.web.test_limits import HARM, NAME_HARM, assert_harmless
from tests.web.test_overview import searched
from tests.web.test_plan_and_log import noted, rows
from tests.web.test_viewers import stored, token_of

DAY = 86_400.0
BRAND = "/app/settings/reports"


def path(house: House) -> str:
    return f"/app/sites/{house.site.id}/reports"


def shared(house: House, days: int = 30) -> str:
    """The path of a report, by a link that the operator made."""
    return f"/app/r/{reports.share(OPERATOR, house.site.id, days).token}"


def opened(house: House) -> Screen:
    screen = Browser().get(shared(house))
    assert screen.status == 200, screen.text
    return screen


def figures(screen: Screen) -> dict[str, str]:
    """What the figures at the top say, by their labels."""
    found = {}
    for tile in screen.dom.css(".tiles > .in"):
        label, *said = [one.text().strip() for one in tile.css("p, .score")]
        found[label] = " | ".join(" ".join(one.split()) for one in said)
    return found


def a_month_of(house: House) -> None:
    """An audited website with search data whose issue of a file was fixed by a recheck three days ago."""
    seed.settled(house.site)
    seed.connected(house.site)
    searched(house)
    now = clock.now()
    for ago, score in ((60, 700), (30, 752), (4, 790), (3, 814)):
        entry = ScoreEntry(score, score, None, "1", now - ago * DAY, None)
        commit(kept_audits.rescored(house.site.id, f"crawl_{ago}", "recheck", entry))
    book = issues.load_state(house.site.id)
    assert book is not None
    fixed = book.by_id(ids.issue_id(house.site.id, seed.SITE_RULE.id))
    assert fixed is not None
    changed = book.with_issue(msgspec.structs.replace(fixed, resolved_at=now - 3 * DAY))
    commit([issues.put_state(house.site.id, changed, replaces=book.version)])


# -- reading


def test_a_report_link_opens_for_anyone_who_has_it(house: House) -> None:
    a_month_of(house)
    screen = opened(house)
    assert screen.heading == "Main"
    assert "Acme" in screen.main and "set-cookie" not in screen.headers
    assert screen.headers["x-robots-tag"].startswith("noindex")
    assert screen.headers["referrer-policy"] == "no-referrer"
    assert screen.headers["cache-control"] == "private, no-store"
    assert not screen.dom.css("nav, form, [style]")


def test_the_figures_of_the_report_match_the_api(house: House) -> None:
    a_month_of(house)
    screen, client = opened(house), Client(house.key)
    site = client.get(f"/sites/{house.site.id}").json
    search = site["search"]
    assert figures(screen) == {
        "Score, of 100": "81.4 ▲ 6.2 more | four weeks before: 75.2",
        "Issues fixed": "1 | four weeks before: 0",
        "Clicks from search": "168 ▲ 84 more | four weeks before: 84",
        "Shown in search": "1,680 ▲ 840 more | four weeks before: 840",
    }
    assert (search["clicks"], search["previousClicks"], search["impressions"]) == (168, 84, 1_680)
    ((title, _, after, brought),) = rows(screen, "#fixed")
    assert (title, after, brought) == (seed.SITE_RULE.title, "81.4", "+2.4")
    assert rows(screen, "#written") == [["Titles", "1", "0", "0"]]
    actions = client.get(f"/sites/{house.site.id}/actions").json["actions"]
    assert [row[0] for row in rows(screen, "#next")] == [f"{one['title']}little work" for one in actions[:5]]
    assert [row[3] for row in rows(screen, "#next")] == [f"+{one['estimatedScoreGain']}" for one in actions[:5]]


def test_several_issues_fixed_by_one_audit_share_its_gain(house: House) -> None:
    a_month_of(house)
    book = issues.load_state(house.site.id)
    assert book is not None
    (at,) = [one.resolved_at for one in book.issues if one.resolved_at is not None]
    fixed = [msgspec.structs.replace(one, status="resolved", resolved_at=at) for one in book.issues]
    changed = msgspec.structs.replace(book, version=book.version + 1, issues=fixed)
    commit([issues.put_state(house.site.id, changed, replaces=book.version)])
    screen = opened(house)
    first, second = rows(screen, "#fixed")
    assert first[2:] == ["81.4", "+2.4"] and second[2:] == ["with the one above"]
    assert figures(screen)["Issues fixed"] == "2 | four weeks before: 0"
    assert "Nothing is open" in screen.main


def test_values_to_approve_are_shown_only_after_sign_in(house: House) -> None:
    a_month_of(house)
    assert not rows(opened(house), "#decide"), "of its open issue no value is suggested"
    suggested(house, TITLE_TOO_LONG, "Boots | Acme", 3)
    suggested(house, NO_DESCRIPTION, "All about boots.", 2)  # a field that the CMS does not take
    screen = opened(house)
    (row,) = rows(screen, "#decide")
    assert (row[0], row[2:]) == ("New page titles", ["1", "3"])
    (link,) = screen.dom.css("main a")
    signing = Browser().get(str(link.attributes["href"]))
    assert signing.fields("/app/sign-in")["next"] == f"/app/sites/{house.site.id}/actions"
    unconnected = opened(settled_without_a_cms())
    assert "no CMS or shop is connected" in unconnected.main and not rows(unconnected, "#decide")


def test_opening_a_report_is_limited_per_hour(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "READINGS_PER_REPORT", 2)
    first, second = shared(house), shared(house)
    assert [Browser().get(first).status for _ in range(3)] == [200, 200, 429]
    assert Browser().get(second).status == 200
    clock.set_offset(clock.offset() + 3_600)
    assert Browser().get(first).status == 200


def test_wrong_links_are_limited_per_ip_address(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "WRONG_TOKENS_PER_IP", 5)
    path, wrong = shared(house), "A" * 43
    asked = (f"r/{wrong}", *(f"{one}?token={wrong}" for one in ("sign-in", "reports/confirm", "reports/off")))
    assert [Browser().get(f"/app/{one}").status for one in asked] == [404] * 4
    assert Browser().get(f"/app/notices/off?token={wrong}").status == 404
    assert [Browser().get(f"/app/{one}").status for one in asked] == [429] * 4
    assert Browser().get(path).status == 200, "a right one opens all the same"


def settled_without_a_cms() -> House:
    house = settle("Others", "others.example")
    seed.settled(house.site)
    return house


def test_before_the_first_audit_unknown_figures_are_not_zero(house: House) -> None:
    screen = opened(house)
    assert figures(screen) == {
        "Score, of 100": "– | no audit has ended yet",
        "Issues fixed": "– | no audit has ended yet",
        "Clicks from search": "– | search data is not connected",
        "Shown in search": "– | search data is not connected",
    }
    assert "Not known yet" in screen.main and "None" not in screen.main
    assert not [one for one in screen.dom.css(".num") if one.text().strip() == "0"]


def test_a_missing_day_of_search_data_makes_its_sums_unknown(house: House) -> None:
    seed.audited(house.site)
    searched(house, missing=40)
    assert figures(opened(house))["Clicks from search"] == "168 | four weeks before: not known"


def test_a_score_of_another_version_is_not_compared(house: House) -> None:
    seed.audited(house.site)
    entry = ScoreEntry(700, 700, None, "0", clock.now() - 30 * DAY, None)
    commit(kept_audits.rescored(house.site.id, "crawl_old", "recheck", entry))
    assert figures(opened(house))["Score, of 100"] == "81.4 | computed in another way four weeks before"


def test_reading_a_report_changes_nothing_stored_but_the_counter_of_its_link(house: House) -> None:
    a_month_of(house)
    report = shared(house)
    before = stored()
    for _ in range(2):
        assert Browser().get(report).status == 200
        assert Browser().get("/app/r/" + "a" * 43).status == 404
    after = stored()
    counted = {key: after.pop(key) for key in after.keys() - before.keys()}
    assert after == before and len(counted) == 2
    assert all("LINKS#" in key and value["used"] == {"N": "2"} for key, value in counted.items())


def test_a_report_of_ten_thousand_pages_is_small_and_makes_few_calls(store: None) -> None:
    house = settle(plan="enterprise")
    seed.settled(house.site, count=10_000, affected=10_000)
    report = shared(house)
    with aws.counted_calls() as calls:
        screen = Browser().get(report)
    assert screen.status == 200
    assert calls.total() <= 10, dict(calls)
    assert len(screen.text.encode()) <= 80_000


def test_hostile_names_in_a_report_are_escaped(house: House) -> None:
    a_month_of(house)
    name = (NAME_HARM * 3)[:100]
    websites.edit(OPERATOR, house.site.id, name=name)
    reports.brand(OPERATOR, house.workspace_id, name, "#123456")
    screen = opened(house)
    assert_harmless(screen)
    assert screen.heading == name.strip()


# -- links that open nothing


def gone(address: str) -> Screen:
    screen = Browser().get(address)
    assert screen.status == 404
    return screen


def test_every_invalid_link_shows_the_same_screen(house: House) -> None:
    a_month_of(house)
    ended, taken, removed = shared(house, 7), shared(house), shared(house, 90)
    key = sign_in.hashed(taken.rpartition("/")[2])
    assert key is not None
    reports.take_back(OPERATOR, house.site.id, key)
    unknown = [f"/app/r/{'a' * 43}", "/app/r/x", f"/app/r/{'a' * 3_000}", f"/app/r/{key}", "/app/r/%00", "/app/r/..%2f"]
    screens = [gone(taken), *map(gone, unknown)]
    clock.set_offset(clock.offset() + 8 * DAY)
    screens.append(gone(ended))
    assert Browser().get(removed).status == 200
    websites.remove(OPERATOR, house.site.id)
    screens.append(gone(removed))
    assert {one.text for one in screens} == {screens[0].text}
    for one in screens:
        assert one.heading == "This report is not there"
        assert one.headers["x-robots-tag"].startswith("noindex")
        assert house.site.host not in one.text and "Acme" not in one.text


def test_the_report_of_a_website_being_removed_is_gone_at_once(house: House) -> None:
    report = shared(house)
    websites.remove(OPERATOR, house.site.id, wait=False)
    gone(report)


@pytest.mark.parametrize("days", [7, 30, 90])
def test_a_link_works_until_its_last_second(house: House, days: int) -> None:
    report = shared(house, days)
    clock.set_offset(clock.offset() + days * DAY - 5)
    assert Browser().get(report).status == 200
    clock.set_offset(clock.offset() + 10)
    gone(report)


def test_removing_the_website_removes_its_report_links(house: House) -> None:
    tokens = [shared(house), shared(house)]
    websites.remove(OPERATOR, house.site.id)
    assert not [key for key in stored() if "REPORT#" in key]
    assert [Browser().get(one).status for one in tokens] == [404, 404]


# -- making and taking back


def test_a_new_report_link_is_shown_once_and_listed(house: House, browser: Browser) -> None:
    before = browser.get(path(house))
    assert "No link is open" in before.main
    made = browser.post(path(house), sent(before, days="90"))
    assert (made.status, made.heading) == (200, "Keep this link now")
    address = made.dom.css_first(".secret").text()
    assert address.startswith("http://localhost/app/r/")
    assert Browser().get(address.removeprefix("http://localhost")).status == 200
    listed = browser.get(path(house))
    ((_, by, ends, _),) = rows(listed, "#links")
    assert by == "owner@acme.example"
    (link,) = stored_reports.list_open(house.site.id)
    assert link.ends_at == int(link.made_at) + 90 * 86_400
    assert ends and address.rpartition("/")[2] not in listed.text
    assert noted(house, "report.shared") == [("owner@acme.example", None, "Main: 90 days")]


def test_thirty_days_are_the_default_for_a_report_link(house: House, browser: Browser) -> None:
    assert sent(browser.get(path(house)))["days"] == "30"


def test_only_the_hash_of_a_token_is_stored_and_no_log_has_it(
    house: House, browser: Browser, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        made = browser.post(path(house), sent(browser.get(path(house)), days="7"))
        token = made.dom.css_first(".secret").text().rpartition("/")[2]
        Browser().get(f"/app/r/{token}")
        Browser().get(f"/app/r/{token}x")
    assert len(token) == 43 and token not in str(stored())
    assert not [one for one in caplog.records if token in str(vars(one))]
    route = next(one for one in ROUTES if one.screen == "report")
    page = Page(route, "/app", "/app", ("r", token), {"token": token}, {}, 0.0, "", False, "")
    assert token not in repr(page) and token not in repr(reports.share(OPERATOR, house.site.id, 7))


def test_a_form_sent_twice_creates_one_report_link(house: House, browser: Browser) -> None:
    form = sent(browser.get(path(house)))
    first, again = browser.post(path(house), form), browser.post(path(house), form)
    assert first.status == 200 and again.status == 303
    assert "shown once" in browser.follow(again).main
    assert len(stored_reports.list_open(house.site.id)) == 1
    browser.post(path(house), sent(browser.get(path(house))))
    assert len(stored_reports.list_open(house.site.id)) == 2


@pytest.mark.parametrize("days", ["0", "1", "31", "365", "-7", "7.0", "٧", "", "seven", "9" * 400])
def test_an_unsupported_lifetime_of_a_link_is_refused(house: House, browser: Browser, days: str) -> None:
    refused = browser.post(path(house), sent(browser.get(path(house)), days=days))
    assert refused.status == 422 and "A link can be valid for 7, 30, 90 days." in refused.main
    assert stored_reports.list_open(house.site.id) == [] and noted(house, "report.shared") == []


def test_the_number_of_open_links_of_a_website_is_limited(house: House, browser: Browser) -> None:
    for _ in range(MOST_OPEN):
        reports.share(OPERATOR, house.site.id, 7)
    screen = browser.get(path(house))
    assert len(screen.text.encode()) <= 80_000
    refused = browser.post(path(house), sent(screen))
    assert refused.status == 422 and f"at most {MOST_OPEN} valid links" in refused.main
    clock.set_offset(clock.offset() + 8 * DAY)
    assert reports.share(OPERATOR, house.site.id, 7), "those that have ended do not count"


def test_report_links_created_at_the_same_time_are_all_stored_and_logged(house: House) -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: reports.share(OPERATOR, house.site.id, 7), range(4)))
    assert {one.link.key for one in made} == {one.key for one in stored_reports.list_open(house.site.id)}
    assert len(noted(house, "report.shared")) == 4


def test_everyone_who_works_on_the_website_can_revoke_a_link(house: House) -> None:
    report = shared(house)
    member = of_role(house, "member")
    screen = member.get(path(house))
    assert rows(screen, "#links")[0][1] == "the operator of the service"
    done = member.follow(member.post(path(house), sent(screen, 1)))
    assert "Taken back" in done.main and rows(done, "#links") == []
    gone(report)
    assert noted(house, "report.taken_back") == [("member@acme.example", None, "Main")]


def test_each_revoke_button_has_its_own_name(house: House, browser: Browser) -> None:
    shared(house)
    shared(house)
    buttons = browser.get(path(house)).dom.css("#links button")
    assert [one.attributes.get("aria-label") for one in buttons] == ["Take back: link 1", "Take back: link 2"]


def test_a_link_revoked_twice_is_logged_once(house: House, browser: Browser) -> None:
    shared(house)
    first, second = (sent(browser.get(path(house)), 1) for _ in range(2))
    assert browser.post(path(house), first).status == 303
    assert browser.post(path(house), second).status == 404
    assert len(noted(house, "report.taken_back")) == 1


@pytest.mark.parametrize("key", ["", "x", "0" * 64, "REPORT#", "a" * 3_000])
def test_an_unknown_key_revokes_no_link(house: House, browser: Browser, key: str) -> None:
    report = shared(house)
    form = {**sent(browser.get(path(house)), 1), "key": key}
    assert browser.post(path(house), form).status == 404
    assert Browser().get(report).status == 200


def test_a_link_can_only_be_revoked_for_its_own_website(house: House) -> None:
    report = shared(house)
    (link,) = stored_reports.list_open(house.site.id)
    others = settle("Others", "others.example")
    for site_id in (house.other_site.id, others.site.id):
        with pytest.raises(Refused) as refused:
            reports.take_back(OPERATOR, site_id, link.key)
        assert refused.value.code == "not_found"
    stranger = signed_in(others)
    form = {"token": token_of(stranger), "do": "take-back", "key": link.key}
    assert stranger.post(path(house), form).status == 404
    assert Browser().get(report).status == 200


def test_a_client_viewer_cannot_create_revoke_or_see_links(house: House) -> None:
    report = shared(house)
    (link,) = stored_reports.list_open(house.site.id)
    client = viewer(house, house.site.id)
    screen = client.get(path(house))
    assert screen.status == 200 and not screen.dom.css("main form, main table")
    assert "/reports" not in str(client.get(f"/app/sites/{house.site.id}").dom.css_first("nav").html)
    for form in ({"do": "share", "days": "7"}, {"do": "take-back", "key": link.key}):
        refused = client.post(path(house), {"token": token_of(client), **form})
        assert (refused.status, refused.heading) == (403, "No access")
    assert len(stored_reports.list_open(house.site.id)) == 1
    assert Browser().get(report).status == 200


def test_a_forged_form_creates_no_link(house: House, browser: Browser) -> None:
    form = sent(browser.get(path(house)))
    for refused in (
        browser.post(path(house), {**form, "token": "x"}),
        browser.post(path(house), form, sec_fetch_site="cross-site"),
        Browser().post(path(house), form),
    ):
        assert refused.status in (303, 403)
    assert stored_reports.list_open(house.site.id) == []


def test_a_link_stays_valid_after_its_author_is_removed(house: House) -> None:
    person = accounts.add_person(OPERATOR, house.workspace_id, "new@acme.example", "member")
    browser = signed_in(house, person.id)
    made = browser.post(path(house), sent(browser.get(path(house))))
    report = made.dom.css_first(".secret").text().removeprefix("http://localhost")
    accounts.remove_person(OPERATOR, house.workspace_id, person.id)
    assert Browser().get(report).status == 200
    listed = signed_in(house).get(path(house))
    assert rows(listed, "#links")[0][1] == "new@acme.example"


# -- name and colour


def colours(screen: Screen) -> set[str]:
    return {str(one.attributes["fill"]) for one in screen.dom.css("svg rect[fill]")}


def test_a_workspace_can_give_its_reports_a_name_and_a_colour(house: House, browser: Browser) -> None:
    screen = opened(house)
    assert colours(screen) == {DEFAULT_COLOUR} and "Acme" in screen.main
    done = browser.follow(browser.post(BRAND, sent(browser.get(BRAND), name=" Über & Co ", colour="#1A2B3C")))
    assert "Saved." in done.main and "Über & Co" in done.main
    screen = opened(house)
    assert colours(screen) == {"#1a2b3c"} and "Über & Co" in screen.main and "Acme" not in screen.main
    assert screen.dom.css_first("svg text").text() == "Ü"
    assert noted(house, "reports.branded") == [("owner@acme.example", None, "Über & Co #1a2b3c")]
    browser.post(BRAND, sent(browser.get(BRAND)))
    assert len(noted(house, "reports.branded")) == 1, "what stays as it is is not noted"
    browser.follow(browser.post(BRAND, sent(browser.get(BRAND), name="", colour="")))
    screen = opened(house)
    assert colours(screen) == {DEFAULT_COLOUR} and "Acme" in screen.main


@pytest.mark.parametrize(
    ("name", "colour", "said"),
    [
        ("", "#ffee00", "too light"),
        ("", "red", "not a colour"),
        ("", '#123456" onload="x', "not a colour"),
        ("x" * 101, "", "1 to 100"),
        ("a\u202eb", "", "The name has"),
        ("", HARM, "not a colour"),
    ],
)
def test_an_invalid_name_or_colour_is_refused(
    house: House, browser: Browser, name: str, colour: str, said: str
) -> None:
    refused = browser.post(BRAND, sent(browser.get(BRAND), name=name, colour=colour))
    assert refused.status == 422 and said in refused.main
    (invalid,) = refused.dom.css("[aria-invalid]")
    assert invalid.attributes["name"] == ("name" if name else "colour")
    assert_harmless(refused)
    kept = accounts.existing_workspace(house.workspace_id)
    assert (kept.report_name, kept.report_colour) == (None, None)
    assert noted(house, "reports.branded") == []


def test_only_owners_and_admins_can_change_the_look_of_reports(house: House) -> None:
    assert of_role(house, "admin").get(BRAND).status == 200
    for role in ("member", "client_viewer"):
        browser = of_role(house, role)
        assert browser.get(BRAND).status == 403
        assert browser.post(BRAND, {"token": token_of(browser), "name": "X", "colour": ""}).status == 403
    assert accounts.existing_workspace(house.workspace_id).report_name is None


def test_changing_the_name_on_reports_does_not_rename_the_workspace(house: House, browser: Browser) -> None:
    browser.post(BRAND, sent(browser.get(BRAND), name="Agency", colour=""))
    assert "Acme" in browser.get("/app").text
    found: list[Any] = workspace.log(OPERATOR, house.workspace_id, 1)
    assert found[0].act.subject == house.workspace_id
