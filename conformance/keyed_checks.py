"""Checks of alt texts and redirects. An item may have several alt texts, and a redirect belongs to no item."""

from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from conformance.check import Check, adding_to, expect, is_error
from conformance.connector import Connector, make_secret, shown

NEVER: Final = ("", "wp-json/wp/v2/", "robots.txt", "llms.txt")  # paths that must not be redirected
ALT: Final = 'Two "tents" & <b>pegs</b> – Ünïcode 🏕'

CHECKS: list[Check] = []
_check = adding_to(CHECKS)


def _asked_alt(connector: Connector, key: str | None, value: str | None, **more: Any) -> dict[str, Any]:
    """Make the request for a change of an image's alt text."""
    return connector.asked("alt", value, **{**connector.pictured, "key": key, **more})


@_check("alt-texts-and-redirects", "When the page is printed, put the alt text at the image that `key` names.", "alt")
def alt_texts_are_written_shown_and_undone(connector: Connector) -> None:
    """An alt text is shown only at its image, letter for letter. An empty text is shown as alt="", and null removes the
    written text.
    """
    url = str(connector.pictured["url"])
    before = connector.alts(url)
    key = list(before)[-1]
    done = []
    for value in (ALT, "", "x" * 512, None):
        members = _asked_alt(connector, key, value)
        done.append((members, connector.written(members)))
        expected = before | {key: before[key] if value is None else value}
        seen = connector.alts(url)
        expect(
            seen == expected,
            f"After the alt text {shown(value)} was written, visitors see {shown(seen)}; "
            f"{shown(expected)} is expected.",
        )
        after = done[-1][1].get("after")
        expect(after == value, f"`after` of alt is {shown(after)}, not {shown(value)}.")
    while done:
        members, outcome = done.pop()
        back = connector.undo(members, outcome)
        same = (back["state"], back.get("after")) == ("written", outcome.get("before"))
        expect(same, f"The undo of alt was answered with {shown(back)}.")
    seen = connector.alts(url)
    expect(seen == before, f"After the undo, visitors see {shown(seen)}; before, they saw {shown(before)}.")


@_check("alt-texts-and-redirects", "Refuse an image that the page does not print, and an invalid text.", "alt")
def alt_texts_without_an_image_are_refused(connector: Connector) -> None:
    """An invalid alt text is refused, and so is one for an image that the page does not show. An invalid key is an
    error."""
    key = next(iter(connector.alts(str(connector.pictured["url"]))))
    address = key.rpartition(" ")[0]
    for asked in (
        _asked_alt(connector, f"{connector.pictured['url']}no-such-image.png 1", "X"),
        _asked_alt(connector, f"{address} 9999", "X"),
        _asked_alt(connector, key, "   "),
        _asked_alt(connector, key, "Two\nlines"),
        _asked_alt(connector, key, "x" * 513),
        _asked_alt(connector, key, "X", cmsId="no-such-item"),
    ):
        outcome = connector.write(asked)
        good = outcome["state"] == "refused" and isinstance(outcome.get("reason"), str)
        expect(good, f"{shown(asked)} was answered with {shown(outcome)}.")
    for wrong in (None, "", address, f"{address} 0", f"/a.jpg 1 {key}", f"https://{'x' * 2_000}.example/ 1"):
        answer = connector.send("changes", _asked_alt(connector, wrong, "X"))
        expect(is_error(answer, 400), f"The key {shown(wrong)} was answered with {answer}; 400 is expected.")
    answer = connector.send("changes", connector.asked("title", "X", key=key))
    expect(is_error(answer, 400), f"A title with a key was answered with {answer}; 400 is expected.")


@_check(
    "alt-texts-and-redirects",
    "Keep sequences, known ids and undos separately for each item, field and key.",
    "redirects",
)
def keys_count_for_themselves(connector: Connector) -> None:
    """A later change supersedes earlier changes only if they have the same key."""
    first, second = (_source(connector) for _ in range(2))
    members = _asked_redirect(connector, first, connector.url)
    outcome = connector.written(members)
    late = connector.write(_asked_redirect(connector, first, connector.url, sequence=connector.sequence - 1))
    expect(late["state"] == "superseded", f"A lower sequence of the same key was answered with {shown(late)}.")
    other = _asked_redirect(connector, second, connector.url, sequence=connector.sequence - 1)
    connector.undo(other, connector.written(other))
    connector.undo(members, outcome)


def _source(connector: Connector) -> str:
    """Make up an address of the website that nothing answers."""
    return urljoin(str(connector.status.get("siteUrl")), f"wos-conformance-{make_secret()[-16:]}/?x=1&y=%C3%A4")


def _asked_redirect(connector: Connector, url: str, value: str | None, **more: Any) -> dict[str, Any]:
    """Make the request for a change that redirects an address."""
    parts = urlsplit(url)
    key = parts.path + (f"?{parts.query}" if parts.query else "")
    return connector.asked("redirect", value, **{"cmsId": None, "url": url, "key": key, **more})


@_check(
    "alt-texts-and-redirects",
    "Answer 301 with Location and Cache-Control: max-age=3600 if the CMS would answer 404. After the undo, answer 404.",
    "redirects",
)
def redirects_are_answered_and_undone(connector: Connector) -> None:
    """A redirect applies only to the address with exactly its path and query. After the undo, the address answers 404
    again."""
    url = _source(connector)
    for target in (connector.url, f"{connector.url}?from=a%20b"):
        members = _asked_redirect(connector, url, target)
        outcome = connector.written(members)
        for method in ("GET", "HEAD"):
            answer = connector.visit(url, method, follow=False)
            seen = answer.status, answer.headers.get("Location"), answer.headers.get("Cache-Control")
            expect(
                seen == (301, target, "max-age=3600"), f"{method} {url} answers {shown(seen)}; {target} was written."
            )
        other = connector.visit(f"{url}&z=1", follow=False).status
        expect(other == 404, f"{url}&z=1 answers {other}, although only {url} is redirected.")
        back = connector.undo(members, outcome)
        expect(back.get("after") is None, f"The undo of a redirect was answered with {shown(back)}.")
        seen_after = connector.visit(url, follow=False).status
        expect(seen_after == 404, f"After the undo {url} answers {seen_after}.")


@_check(
    "alt-texts-and-redirects", "Refuse loops, chains, other hosts, and addresses that the CMS answers.", "redirects"
)
def redirects_that_lead_nowhere_are_refused(connector: Connector) -> None:
    """A redirect is refused if it makes a loop or a chain, leads to another host, or starts at an address that the CMS
    answers."""
    url, other = _source(connector), _source(connector)
    members = _asked_redirect(connector, url, connector.url)
    outcome = connector.written(members)
    home = str(connector.status.get("siteUrl"))
    for asked in (
        _asked_redirect(connector, other, url),
        _asked_redirect(connector, other, other),
        _asked_redirect(connector, other, "https://elsewhere.example/"),
        _asked_redirect(connector, other, "/relative/"),
        _asked_redirect(connector, other, f"{connector.url}\r\nSet-Cookie: a=b"),
        _asked_redirect(connector, other, f"{connector.url}{'x' * 2_000}"),
        _asked_redirect(connector, other, connector.url, key="/another-path"),
        _asked_redirect(connector, connector.url, home),
        *(_asked_redirect(connector, urljoin(home, path), connector.url) for path in NEVER),
    ):
        refused = connector.write(asked)
        good = refused["state"] == "refused" and isinstance(refused.get("reason"), str)
        expect(good, f"{shown(asked)} was answered with {shown(refused)}.")
    for wrong in ({"key": None}, {"key": "no-slash"}, {"cmsId": connector.item}):
        answer = connector.send("changes", _asked_redirect(connector, other, connector.url, **wrong))
        expect(is_error(answer, 400), f"A redirect with {shown(wrong)}: {answer}; 400 is expected.")
    status = connector.visit(other, follow=False).status
    expect(status == 404, f"After the refusals {other} answers {status}.")
    connector.undo(members, outcome)
