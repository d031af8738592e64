"""Alerts of a CMS, as they are sent: what is taken, what is refused, and what the WordPress plugin sends."""

import json
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.audit.alert import GATHER_SECONDS
from chalicelib.operations import connections
from chalicelib.store import alerts, crawls, jobs
from tests import aws
from tests.api import seed
from tests.api.client import Client, Received
from tests.api.conftest import House
from tests.operations.test_alerts import checked_later
from tests.workers.audit.alerting import of

AT = "2026-11-21T16:20:00Z"
# What plugins/wordpress sends; tests/real checks that it still does.
FROM_WORDPRESS = (
    '{"kind":"content_changed","urls":["https:\\/\\/acme.example\\/widget-guide-1\\/","https:\\/\\/acme.example\\/?p=7"],'
    '"at":"2026-11-22T11:20:00Z"}',
    '{"kind":"plugin_changed","at":"2026-11-22T11:20:00Z"}',
    '{"kind":"settings_changed","at":"2026-11-22T11:20:00Z"}',
)


@pytest.fixture
def audited(house: House) -> House:
    seed.audited(house.site)
    return house


def post(house: House, **body: Any) -> Received:
    return Client(house.key).post(f"/sites/{house.site.id}/alerts", {"kind": "content_changed", "at": AT} | body)


def asked(house: House) -> list[str]:
    return [url for header in of(house.site) for url in alerts.asked(header.id)]


def test_alerts_are_merged_and_each_address_is_counted_once(audited: House) -> None:
    first, second = seed.url(audited.site, 0), seed.url(audited.site, 1)
    received = post(audited, urls=[first, first.upper().replace("HTTPS", "https").replace("PAGE", "page")], detail="x")
    assert (received.status, received.json) == (202, {"accepted": 1})
    assert post(audited, urls=[second, "https://www.acme.example/new"]).json == {"accepted": 2}
    assert asked(audited) == [first, second, "https://www.acme.example/new"]
    (header,) = of(audited.site)
    shown = Client(audited.key).get(f"/sites/{audited.site.id}/audits/{header.id}").json
    assert (shown["kind"], shown["status"]) == ("recheck", "queued")
    assert header.person_id == audited.person_id


@pytest.mark.parametrize(
    ("changed", "code", "param"),
    [
        ({"urls": ["https://acme.example/a", "https://elsewhere.example/"]}, "bad_url", "urls[1]"),
        ({"urls": ["http://127.0.0.1/"]}, "bad_url", "urls[0]"),
        ({"urls": ["http://169.254.169.254/latest/meta-data"]}, "bad_url", "urls[0]"),
        ({"urls": ["https://someone:secret@acme.example/"]}, "bad_url", "urls[0]"),
        ({"urls": ["https://acme.example:8443/"]}, "bad_url", "urls[0]"),
        ({"urls": ["https://acme.example.elsewhere.example/"]}, "bad_url", "urls[0]"),
        ({"urls": ["/a"]}, "bad_url", "urls[0]"),
        ({"urls": [""]}, "bad_body", "urls[0]"),
        ({"urls": ["https://acme.example/" + "x" * 2_000]}, "bad_body", "urls[0]"),
        ({"urls": "https://acme.example/"}, "bad_body", "urls"),
        ({"urls": [f"https://acme.example/{number}" for number in range(501)]}, "bad_body", "urls"),
        ({"urls": []}, "bad_body", "urls"),
        ({"at": "2026-11-22 02:00"}, "bad_at", "at"),
        ({"at": 5}, "bad_at", "at"),
        ({"at": "tomorrow"}, "bad_at", "at"),
        ({"kind": "theme_changed"}, "bad_body", "kind"),
        ({"detail": "x" * 501}, "bad_body", "detail"),
        ({"words": "x"}, "bad_body", "words"),
    ],
)
def test_a_body_with_an_error_is_refused_as_a_whole(
    audited: House, changed: dict[str, Any], code: str, param: str
) -> None:
    received = post(audited, **({"urls": [seed.url(audited.site, 0)]} | changed))
    assert (received.status, received.code, received.json["error"]["param"]) == (400, code, param)
    assert of(audited.site) == [] and aws.messages("recheck") == []


def test_the_answer_does_not_repeat_a_reported_address_in_full(audited: House) -> None:
    received = post(audited, urls=["https://elsewhere.example/?token=" + "s" * 200])
    assert "s" * 60 not in received.text


def test_an_alert_may_have_500_addresses(audited: House) -> None:
    urls = [f"https://acme.example/{number}" for number in range(500)]
    assert post(audited, urls=urls).json == {"accepted": 500}
    assert asked(audited) == urls


@pytest.mark.parametrize("kind", ["plugin_changed", "settings_changed"])
def test_a_changed_plugin_or_setting_of_the_cms_triggers_a_connection_check(audited: House, kind: str) -> None:
    checked_later(audited.site)
    assert post(audited, kind=kind).json == {"accepted": 0}
    assert [message["jobId"] for message in aws.messages("imports")] == ["connection_status.cms"]
    job = jobs.get(audited.site.id, connections.job_id("cms"))
    assert job is not None and job.due_at <= clock.now() + GATHER_SECONDS
    assert of(audited.site) == []
    assert post(audited, kind=kind, urls=[seed.url(audited.site, 0)]).json == {"accepted": 1}


def test_a_retry_with_the_same_idempotency_key_creates_no_second_alert(audited: House) -> None:
    client, path = Client(audited.key), f"/sites/{audited.site.id}/alerts"
    body = {"kind": "content_changed", "at": AT, "urls": [seed.url(audited.site, 0)]}
    first = client.post(path, body, Idempotency_Key="one")
    again = client.post(path, body, Idempotency_Key="one")
    assert first.json == again.json and again.headers["idempotency-replayed"] == "true"
    assert len(of(audited.site)) == 1


def test_many_saves_within_seconds_create_one_alert(audited: House) -> None:
    for number in range(25):
        post(audited, urls=[seed.url(audited.site, number % 3)])
    assert len(of(audited.site)) == len(aws.messages("recheck")) == 1
    assert len(crawls.queued_rechecks(audited.site.id)) == 1


@pytest.mark.parametrize("body", FROM_WORDPRESS)
def test_content_from_the_wordpress_plugin_is_accepted(audited: House, body: str) -> None:
    headers = {"Content-Type": "application/json"}
    path = f"/sites/{audited.site.id}/alerts"
    received = Client(audited.key).request("POST", path, headers=headers, body=body)
    assert (received.status, received.json) == (202, {"accepted": len(json.loads(body).get("urls", []))})
