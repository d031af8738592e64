"""AI visibility, as it is answered from stored weeks."""

import os
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.visibility.calendar import weeks_back
from chalicelib.domain.visibility.prompts import Prompt
from chalicelib.domain.visibility.samples import Answer, Asked, Week
from chalicelib.store import visibility
from chalicelib.store.transactions import commit
from tests import aws
from tests.api.client import Client
from tests.api.conftest import House


def prompt(number: int, *, active: bool = True) -> Prompt:
    return Prompt(id=f"prm_{number}", text=f"Question {number}?", locale="de-AT", created_at=1.0, active=active)


def answer(number: int, *, named: bool = False, sources: tuple[str, ...] = ("beta.example",), **more: Any) -> Answer:
    values: dict[str, Any] = {
        "prompt_id": f"prm_{number}",
        "provider": "gemini",
        "model": "gemini-2.5-flash",
        "at": 1_795_402_800.0,
        "named": named,
        "cited_us": "acme.example" in sources,
        "cited": tuple(f"https://{source}/" for source in sources),
        "sources": sources,
        "position": None,
        "listed": 0,
    }
    return Answer(**{**values, **more})


def stored(house: House, answers: list[Answer], *, weeks_ago: int = 0, **counts: int) -> str:
    """Store a week with these answers, and the prompts that they belong to."""
    week = weeks_back(clock.now(), 20)[weeks_ago]
    ids = sorted({one.prompt_id for one in answers})
    asked = tuple(Asked(one, f"Question {one.removeprefix('prm_')}?", "de-AT") for one in ids)
    numbers = {"failed": 0, "refused": 0, "unsearched": 0, **counts}
    made = Week(week=week, prompts=asked, answers=tuple(answers), **numbers)
    commit(visibility.put_week(house.site.id, made, clock.now()))
    return week


def prompts(house: House, *given: Prompt) -> None:
    commit([visibility.put_prompts(house.site.id, given, visibility.load_prompts(house.site.id))])


def read(house: House, query: str = "", gaps: bool = False) -> Any:
    path = f"/sites/{house.site.id}/ai-visibility{'/gaps' if gaps else ''}{query}"
    return Client(house.key).get(path).json


def test_before_any_assistant_was_asked_the_list_of_weeks_is_empty(house: House) -> None:
    whole = {"offset": 0, "nextOffset": None, "truncated": False}
    assert read(house) == {**whole, "weeks": []}
    assert read(house, gaps=True) == {"total": 0, **whole, "gaps": []}


def test_the_numbers_of_answers_behind_the_rates_are_shown_for_each_week(house: House) -> None:
    prompts(house, prompt(1), prompt(2, active=False))
    ours = answer(2, named=True, sources=("acme.example", "beta.example"), position=2, listed=3)
    week = stored(house, [answer(1), ours], failed=3, refused=2, unsearched=1, left_out=4)
    (found,) = read(house)["weeks"]
    shown = found.pop("prompts")
    assert found == {
        "week": week,
        "answers": 2,
        "named": 1,
        "cited": 1,
        "mentionRate": 0.5,
        "mentionInterval": found["mentionInterval"],
        "citationRate": 0.5,
        "citationInterval": found["mentionInterval"],
        "asked": 8,
        "failed": 3,
        "refused": 2,
        "unsearched": 1,
        "notAsked": 4,
        "promptsAsked": 2,
        "truncated": False,
    }
    assert found["mentionInterval"]["low"] < 0.1 and found["mentionInterval"]["high"] > 0.9
    assert [(one["promptId"], one["active"], one["locale"]) for one in shown] == [
        ("prm_1", True, "de-AT"),
        ("prm_2", False, "de-AT"),
    ]
    assert shown[1]["answers"] == [
        {
            "model": "gemini-2.5-flash",
            "modelName": "Gemini 2.5 Flash",
            "provider": "google",
            "namedUs": True,
            "citedUs": True,
            "citedUrls": ["https://acme.example/", "https://beta.example/"],
            "sources": ["acme.example", "beta.example"],
            "position": 2,
            "listed": 3,
            "answeredAt": "2026-11-23T03:00:00Z",
        }
    ]


def test_a_week_without_a_valid_answer_has_no_rates(house: House) -> None:
    prompts(house, prompt(1))
    commit(
        visibility.put_week(
            house.site.id,
            Week(
                week=weeks_back(clock.now(), 1)[0],
                prompts=(Asked("prm_1", "Question 1?", None),),
                answers=(),
                failed=4,
                refused=0,
                unsearched=0,
            ),
            clock.now(),
        )
    )
    (found,) = read(house)["weeks"]
    assert found["mentionRate"] is found["citationRate"] is found["mentionInterval"] is None
    assert (found["answers"], found["failed"], found["prompts"][0]["answers"]) == (0, 4, [])


def test_weeks_are_listed_newest_first_from_the_current_week(house: House) -> None:
    weeks = [stored(house, [answer(1)], weeks_ago=ago) for ago in (0, 1, 3, 4, 11, 12)]
    assert [one["week"] for one in read(house)["weeks"]] == weeks[:3]
    assert [one["week"] for one in read(house, "?weeks=1")["weeks"]] == weeks[:1]
    assert [one["week"] for one in read(house, "?weeks=12")["weeks"]] == weeks[:5]


def test_the_limit_parameter_shortens_the_prompt_list_without_changing_rates(house: House) -> None:
    stored(house, [answer(number, named=number % 2 == 0) for number in range(60)])
    (found,) = read(house)["weeks"]
    assert (len(found["prompts"]), found["truncated"], found["promptsAsked"]) == (50, True, 60)
    assert (found["answers"], found["mentionRate"]) == (60, 0.5)
    rest = read(house, "?offset=50")
    assert (rest["offset"], rest["nextOffset"], rest["truncated"]) == (50, None, False)
    (found,) = rest["weeks"]
    assert (len(found["prompts"]), found["truncated"], found["answers"]) == (10, False, 60)
    (found,) = read(house, "?limit=60")["weeks"]
    assert (len(found["prompts"]), found["truncated"]) == (60, False)


def test_an_active_prompt_is_a_gap_if_its_answers_cite_only_competitors(house: House) -> None:
    prompts(house, *(prompt(number, active=number != 4) for number in range(1, 7)))
    stored(
        house,
        [
            answer(1, sources=("beta.example", "gamma.example")),
            answer(2, named=True),
            answer(3, sources=()),
            answer(4),
            answer(5, sources=(), listed=3),
            answer(6, sources=("acme.example",)),
        ],
    )
    stored(house, [answer(1), answer(2), answer(7)], weeks_ago=2)
    assert read(house, gaps=True)["gaps"] == [
        {
            "promptId": "prm_1",
            "prompt": "Question 1?",
            "answers": 2,
            "namedUs": 0,
            "citedOthers": ["beta.example", "gamma.example"],
        },
        {"promptId": "prm_5", "prompt": "Question 5?", "answers": 1, "namedUs": 0, "citedOthers": []},
    ]
    assert [one["answers"] for one in read(house, "?weeks=1", gaps=True)["gaps"]] == [1, 1]


def test_a_week_split_over_several_stored_items_is_read_completely(house: House) -> None:
    prompts(house, prompt(1))
    cited = tuple(os.urandom(180).hex() for _ in range(20))
    many = [answer(number, cited=cited[number % 3 :] + (os.urandom(180).hex(),) * 3) for number in range(1, 200)]
    varied = [
        answer(number, cited=tuple(f"https://beta.example/{os.urandom(190).hex()}" for _ in range(20)))
        for number in range(200, 500)
    ]
    stored(house, [*many, *varied])
    parts = [sk for pk, sk in aws.rows("ai") if sk.startswith("WEEK#")]
    assert len(parts) > 1
    (found,) = read(house, "?limit=1000")["weeks"]
    assert found["answers"] == 499 and found["promptsAsked"] == 499
    assert len(found["prompts"][-1]["answers"]) == 1


@pytest.mark.parametrize("query", ["?weeks=0", "?weeks=13", "?weeks=x"])
@pytest.mark.parametrize("gaps", [False, True])
def test_an_invalid_number_of_weeks_is_refused(house: House, query: str, gaps: bool) -> None:
    assert read(house, query, gaps)["error"]["code"] == "bad_weeks"


@pytest.mark.parametrize("query", ["?limit=0", "?limit=1001"])
def test_an_invalid_limit_is_refused(house: House, query: str) -> None:
    assert read(house, query)["error"]["code"] == "bad_limit"
