"""Many requests at once in one process, as the local service answers them: none sees another's."""

from concurrent.futures import ThreadPoolExecutor

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, websites
from tests import aws
from tests.api.client import Client, Received
from tests.api.conftest import EVERY_SCOPE

ROUNDS = 25


def test_every_request_gets_its_own_answer(store: None) -> None:
    workspace = accounts.create_workspace(OPERATOR, "Busy", "agency")
    person = accounts.add_person(OPERATOR, workspace.id, "owner@busy.example", "owner")
    sites = [websites.add(OPERATOR, workspace.id, f"https://site-{number}.example/") for number in range(16)]
    created = [
        accounts.create_workspace_key(OPERATOR, workspace.id, person.id, EVERY_SCOPE, [site.id]) for site in sites
    ]

    def ask(number: int) -> list[Received]:
        client, path = Client(created[number].secret), f"/sites/{sites[number].id}"
        return [client.get(path) for _ in range(ROUNDS)] + [client.post(f"{path}/audits")]

    with ThreadPoolExecutor(len(sites)) as pool:
        answers = list(pool.map(ask, range(len(sites))))
    for site, received in zip(sites, answers, strict=True):
        assert {answer.json["id"] for answer in received[:-1]} == {site.id}
        assert [int(answer.headers["x-ratelimit-remaining"]) for answer in received] == list(
            range(1_199, 1_198 - ROUNDS, -1)
        )
    ids = [answer.headers["x-request-id"] for received in answers for answer in received]
    assert len(set(ids)) == len(ids)
    started = {answer[-1].json["auditId"]: answer[-1].headers["x-request-id"] for answer in answers}
    assert {message["crawlId"]: message["requestId"] for message in aws.messages("crawl")} == started
