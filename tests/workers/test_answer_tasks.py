"""KW-011 from sampled answers to the list of actions: judged when a week is written and when search data came."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.visibility.calendar import week_of
from chalicelib.domain.visibility.citations import Citation
from chalicelib.domain.visibility.names import Names
from chalicelib.domain.visibility.samples import Sample, week_of_samples
from chalicelib.operations import accounts, keyword_tasks, prompts
from chalicelib.store import issues, jobs, visibility, websites
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website
from chalicelib.workers import imports
from local.standins.assistants import Assistants
from local.standins.searching import BRANDS
from tests import aws, topics, webhooks
from tests.api import seed
from tests.api.client import Client
from tests.visibility import OWN, Sampled, sampled

pytestmark = pytest.mark.usefixtures("store")
QUESTION = "Which page of tents?"


@pytest.fixture(scope="module")
def standin() -> Iterator[Assistants]:
    found = Assistants()
    yield found
    found.stop()


@pytest.fixture
def house(standin: Assistants, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sampled]:
    """An audited website, whose answers name and cite others alone."""
    with sampled(monkeypatch, standin, ("openai", "anthropic")) as found:
        standin.brands = BRANDS
        seed.audited(record(found))
        yield found


def record(house: Sampled) -> Website:
    found = websites.get(house.workspace_id, house.site_id)
    assert found is not None
    return found


def judged() -> None:
    """Do the jobs that messages wait for."""
    waiting = aws.messages("imports")
    aws.purge("imports")
    for message in waiting:
        imports.handle(message, None)


def task(house: Sampled, rule_id: str = "KW-011") -> Issue | None:
    book = issues.load_state(house.site_id)
    assert book is not None
    return next((issue for issue in book.issues if issue.rule_id == rule_id), None)


def client(house: Sampled) -> Client:
    person = accounts.add_person(OPERATOR, house.workspace_id, "owner@acme.example", "owner")
    return Client(accounts.create_workspace_key(OPERATOR, house.workspace_id, person.id, tuple(SCOPES), None).secret)


def test_a_question_whose_sampled_answers_cite_only_others_becomes_an_action(house: Sampled) -> None:
    house.add(QUESTION, "Which canoes?")
    house.next_week()
    judged()
    api, path, task_id = client(house), f"/sites/{house.site_id}", ids.issue_id(house.site_id, "KW-011")
    listed = {one["issueId"]: one for one in api.get(f"{path}/actions?limit=100").json["actions"]}
    action = listed[task_id]
    assert (action["title"], action["severity"], action["effort"]) == ("AI answer gap", "medium", "medium")
    assert (action["estimatedScoreGain"], action["writableField"]) == (None, None)
    detail = api.get(f"{path}/issues/{task_id}").json
    assert (detail["category"], detail["affectedPages"]) == ("KW", 1)
    (page,) = detail["pages"]
    assert page["url"] == seed.url(record(house), 0)
    assert (page["evidence"]["prompt"], page["evidence"]["answers"]) == (QUESTION, 2)
    assert page["evidence"]["citedOthers"]
    assert "suggestions" not in detail
    refused = api.request("POST", f"{path}/issues/{task_id}/recheck")
    assert (refused.status, refused.json["error"]["code"]) == (422, "cannot_recheck")
    assert "KW-011" not in {one["ruleId"] for one in api.get(f"{path}/issues").json["issues"]}
    assert webhooks.pending() == []


def test_a_task_is_resolved_by_a_week_in_which_the_website_is_named(house: Sampled) -> None:
    house.add(QUESTION)
    house.next_week()
    judged()
    first = task(house)
    assert first is not None and first.status == "open"
    house.standin.brands = (OWN,)
    house.next_week()
    judged()
    gone = task(house)
    assert gone is not None and (gone.status, gone.affected_pages) == ("resolved", 0)


def written(house: Sampled, *citations: Citation) -> None:
    """A week in which the only prompt has one answer, which names nobody and cites these; the task is judged by it."""
    (prompt,) = visibility.load_prompts(house.site_id).prompts
    sample = Sample(
        prompt_id=prompt.id,
        prompt=prompt.text,
        locale=None,
        provider="openai",
        attempts=1,
        outcome="answered",
        at=clock.now(),
        text="Others are good.",
        citations=citations,
    )
    host = record(house).host
    week = week_of_samples(week_of(clock.now()), [sample], Names.of(host, []), host)
    commit(visibility.put_week(house.site_id, week, clock.now()))
    begun(house)


def begun(house: Sampled) -> None:
    """Begin the job as the end of a sampling or an import does, and do it."""
    job, begins = keyword_tasks.begin(house.site_id, house.workspace_id, clock.now())
    commit([begins])
    imports.handle({"siteId": house.site_id, "jobId": job.id, "kind": job.kind}, None)
    found = jobs.get(house.site_id, job.id)
    assert found is not None and found.ended and found.error is None


@pytest.mark.parametrize(
    ("own", "status"),
    [
        (None, "open"),
        (Citation("https://shop.example/page-00001", "shop.example"), "open"),
        (Citation("http://www.shop.example/page-00000/", "shop.example"), None),
        (Citation(None, "shop.example"), None),  # a page of the website, and nobody knows which
    ],
)
def test_no_gap_task_is_created_if_an_answer_cites_the_page_about_the_question(
    house: Sampled, own: Citation | None, status: str | None
) -> None:
    house.add(QUESTION)
    written(house, Citation("https://others.example/", "others.example"), *([own] if own else []))
    found = task(house)
    assert (found.status if found else None) == status


def test_without_sampled_answers_the_task_does_not_change(house: Sampled) -> None:
    house.add(QUESTION)
    written(house, Citation("https://others.example/", "others.example"))
    before = task(house)
    clock.set_offset(clock.offset() + 6 * 7 * 86_400)
    begun(house)
    assert task(house) == before and before is not None
    (prompt,) = visibility.load_prompts(house.site_id).prompts
    prompts.pause(OPERATOR, house.site_id, prompt.id)
    begun(house)
    after = task(house)
    assert after is not None and after.status == "resolved", "nothing is asked any more"


def test_an_import_of_search_data_judges_sampled_answers_too(house: Sampled) -> None:
    house.add(QUESTION)
    topics.connect(record(house))
    last = topics.today() - timedelta(3)
    rows = [
        topics.Shown("tents", seed.url(record(house), 0), 3, 30, 2.0),
        topics.Shown("maps", seed.url(record(house), 1), 1, 30, 2.0),
    ]
    topics.imported(record(house), {last - timedelta(number): rows for number in range(28)})
    written(house, Citation("https://others.example/", "others.example"))
    found = task(house)
    assert found is not None and found.importance == pytest.approx(0.75)
    assert task(house, "KW-001") is not None
