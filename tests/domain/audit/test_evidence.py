"""How much of what a rule saw is kept."""

import random

import msgspec

from chalicelib.domain.audit.evidence import MOST_BYTES, MOST_BYTES_OF_PAGE, bounded, bounded_findings
from chalicelib.domain.audit.records import PageFinding

CHOICE = random.Random(7)


def address() -> str:
    return "https://example.com/" + "".join(CHOICE.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=2_000))


def size(value: object) -> int:
    return len(msgspec.msgpack.encode(value))


def test_ordinary_evidence_is_kept_unchanged() -> None:
    evidence = {"message": "Too long.", "links": [{"url": "https://example.com/a", "text": "a"}] * 20, "limit": 561}
    assert bounded(evidence) == evidence


def test_long_addresses_are_cut_until_the_evidence_fits() -> None:
    evidence = {"message": f"{address()} is wrong.", "pages": [{"url": address(), "to": address()} for _ in range(100)]}
    found = bounded(evidence)
    assert size(found) <= MOST_BYTES
    assert str(found["message"]).startswith("https://example.com/") and str(found["message"]).endswith("…")
    assert found["pages"]


def test_deeply_nested_and_large_evidence_is_cut_to_fit() -> None:
    deep: dict[str, object] = {"message": "m"}
    for _ in range(50):
        deep = {"message": "m", "inner": deep, "list": [address()] * 3}
    assert size(bounded(deep)) <= MOST_BYTES
    assert size(bounded({address(): address() for _ in range(500)})) <= MOST_BYTES


def test_the_evidence_of_all_findings_of_one_page_has_a_common_size_limit() -> None:
    findings = [
        PageFinding(f"SEO-ONP-{n:03}", bounded({"message": address(), "url": address()}), 1) for n in range(120)
    ]
    found = bounded_findings(findings)
    assert size(found) <= 2 * MOST_BYTES_OF_PAGE
    assert [finding.rule_id for finding in found] == [finding.rule_id for finding in findings]
    assert all(str(finding.evidence["message"]).startswith("https://example.com/") for finding in found)
    few = findings[:3]
    assert bounded_findings(few) == few
