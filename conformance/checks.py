"""Checks of a connector's status, signatures, items, fields and files, and of its pairing."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from conformance.check import Check, adding_to, expect, is_error
from conformance.connector import Connector, Wrong, encoded, make_secret, shown

# For each field, a value that careless escaping or encoding would change before visitors see it.
VALUES: Final = {
    "title": "Tents & “tarps” for C:\\hikers – 100% dry",
    "meta_description": 'Don\'t <em>pitch</em> it: "peg" it & go. Ünïcode 🏕 too.',
    "canonical": "https://elsewhere.example/a-page/?x=1&y=2",
    "noindex": "true",
}
FILES: Final = ("llmsTxt", "robotsBlock", "indexNowKey")
ROBOTS: Final = ("virtual", "file", "readonly", "elsewhere")
MOST_BODY: Final = 1_048_576
BEGIN, END = "# BEGIN Website Optimization", "# END Website Optimization"


CHECKS: list[Check] = []
_check = adding_to(CHECKS)


# -- status ------------------------------------------------------------------------------------------------


@_check("status", "Answer `status` with all members of its table, each with its type.")
def it_says_what_it_can_do(connector: Connector) -> None:
    """The status names the connector, its website and what it can write."""
    status = connector.call("status", {})
    expect(status.get("protocol") in (1, 2), f"protocol is {shown(status.get('protocol'))}, not 1 or 2.")
    for name in ("platform", "version", "siteUrl"):
        value = status.get(name)
        expect(isinstance(value, str) and value, f"{name} is {shown(value)}, not a text.")
        expect(name == "siteUrl" or len(str(value)) <= 64, f"{name} has more than 64 characters.")
    expect(
        str(status["siteUrl"]).startswith(("http://", "https://")),
        f"siteUrl is no web address: {shown(status['siteUrl'])}.",
    )
    expect(isinstance(status.get("writable"), bool), f"writable is {shown(status.get('writable'))}, not a boolean.")
    for name, known in (("fields", (*VALUES, "alt")), ("files", FILES)):
        value = status.get(name)
        expect(
            isinstance(value, list) and all(one in known for one in value),
            f"{name} lists unknown names: {shown(value)}.",
        )
    redirects = status.get("redirects", False)
    expect(isinstance(redirects, bool), f"redirects is {shown(redirects)}, not a boolean.")
    robots = status.get("robotsFile")
    expect(robots in ROBOTS, f"robotsFile is {shown(robots)}, not one of {', '.join(ROBOTS)}.")
    sender = status.get("indexNowSender")
    expect(sender is None or isinstance(sender, str), f"indexNowSender is {shown(sender)}, not a text or null.")
    expect(
        sender is None or "indexNowKey" not in status["files"],
        "`files` has indexNowKey although there is an indexNowSender.",
    )
    caches = status.get("pageCaches", [])
    expect(
        isinstance(caches, list) and all(isinstance(one, str) for one in caches),
        f"pageCaches is {shown(caches)}, not texts.",
    )


@_check("requests-of-the-service", "Ignore members that you do not know.")
def members_that_are_unknown_are_ignored(connector: Connector) -> None:
    """Members of a request that docs/connector.md does not name are ignored."""
    connector.call("status", {"laterMember": {"deep": [1]}})
    connector.call("items", {"after": None, "limit": 1, "laterMember": "x"})


# -- signature ---------------------------------------------------------------------------------------------


@_check(
    "signature", "Refuse a request with 401 unsigned if one of the three headers is missing or has an invalid form."
)
def what_is_unsigned_is_refused(connector: Connector) -> None:
    """A request is refused unless it has all three headers in the documented form."""
    good = connector.signed("status", b"{}")
    for name, value in (
        ("", ""),
        ("X-Wos-Time", ""),
        ("X-Wos-Time", "0x1"),
        ("X-Wos-Nonce", ""),
        ("X-Wos-Nonce", "short"),
        ("X-Wos-Nonce", "n" * 65),
        ("X-Wos-Signature", ""),
        ("X-Wos-Signature", good["X-Wos-Signature"].removeprefix("v1=")),
    ):
        answer = connector.ask("status", b"{}", {**good, name: value} if name else {})
        codes = ("bad_signature", "unsigned") if name == "X-Wos-Signature" else ("unsigned",)
        sent = f"{name}: {value}" if name else "no header"
        expect(is_error(answer, 401, *codes), f"With {sent}, the answer was {answer}; 401 {codes[0]} is expected.")


@_check(
    "signature",
    "Compute the signature of time, nonce, path and body exactly as received, and compare the whole signature.",
)
def what_is_signed_otherwise_is_refused(connector: Connector) -> None:
    """A request is refused if its signature is for another secret, time, nonce, operation or body."""
    body = b"{}"
    good, now = connector.signed("status", body), int(time.time())
    for what, headers in {
        "another secret": connector.signed("status", body, secret=make_secret()),
        "another time": {**good, "X-Wos-Time": str(int(good["X-Wos-Time"]) + 1)},
        "another nonce": {**good, "X-Wos-Nonce": "another-nonce-of-the-checks"},
        "another operation": connector.signed("items", body),
        "another body": connector.signed("status", b"{ }"),
        "another secret and an old time": connector.signed("status", body, now - 310, make_secret()),
    }.items():
        answer = connector.ask("status", body, headers)
        expect(
            is_error(answer, 401, "bad_signature"),
            f"A request signed for {what}: {answer}; 401 bad_signature is expected.",
        )


@_check(
    "signature",
    "Refuse a request with 401 late if its time is more than 300 seconds in the past or future. "
    "Check the server's clock.",
)
def what_is_late_is_refused(connector: Connector) -> None:
    """A request whose time is 310 seconds in the past or the future is refused; with 250 seconds it is accepted."""
    now = time.time()
    for seconds in (-310, 310):
        answer = connector.ask("status", b"{}", connector.signed("status", b"{}", now + seconds))
        expect(is_error(answer, 401, "late"), f"A time {seconds} seconds from now: {answer}; 401 late is expected.")
    for seconds in (-250, 250):
        answer = connector.ask("status", b"{}", connector.signed("status", b"{}", now + seconds))
        expect(answer.status == 200, f"A time {seconds} seconds from now: {answer}; 200 is expected.")


@_check("signature", "Store each nonce for 600 seconds, with a single write that fails if the nonce is already stored.")
def a_request_is_taken_once(connector: Connector) -> None:
    """A request is accepted only once, even if it arrives four times at the same moment."""
    headers = connector.signed("status", b"{}")
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: connector.ask("status", b"{}", headers), range(4)))
    taken = sum(answer.status == 200 for answer in answers)
    expect(taken == 1, f"One request was sent four times at the same moment and accepted {taken} times.")
    again = connector.ask("status", b"{}", headers)
    expect(
        is_error(again, 401, "repeated"),
        f"The repeated request was answered with {again}; expected is status 401 with the error `repeated`.",
    )


@_check("signature", "Store nonces only of requests with a valid signature.")
def nonces_of_strangers_are_not_kept(connector: Connector) -> None:
    """A request with a wrong signature does not use up its nonce."""
    nonce = make_secret()[-32:]
    connector.ask("status", b"{}", connector.signed("status", b"{}", secret=make_secret(), nonce=nonce))
    answer = connector.ask("status", b"{}", connector.signed("status", b"{}", nonce=nonce))
    expect(
        answer.status == 200,
        f"After an unsigned request had used the same nonce, the answer was {answer}; 200 is expected.",
    )


@_check(
    "signature", "Refuse a body of more than 1,048,576 bytes with 413 before you parse it or compute its signature."
)
def a_large_body_is_refused_first(connector: Connector) -> None:
    """A body of more than 1 MB is refused with 413, whatever its signature is."""
    body = b" " * (MOST_BODY + 1)
    for headers in ({}, connector.signed("status", body), connector.signed("status", body, secret=make_secret())):
        for operation in ("status", "pair"):
            answer = connector.ask(operation, body, headers)
            expect(is_error(answer, 413), f"{operation} answered {answer}; 413 with code and message is expected.")


@_check("errors", "Answer an invalid request with 400 and {code, message}, before anything is written.")
def what_is_no_request_is_an_error(connector: Connector) -> None:
    """A body that is not a valid request is answered with 400."""
    unknown = {"changeId": "x", "sequence": connector.sequence, "file": "wp-config.php", "value": "x"}
    for operation, body in (
        ("changes", b""),
        ("changes", b"not json"),
        ("changes", b"[]"),
        ("changes", b'{"changeId": "x"}'),
        ("changes", encoded({"changeId": ["x"], "sequence": "1", "cmsId": {}, "url": 1, "field": "title"})),
        ("changes", encoded({**connector.asked("title", "x"), "field": "password"})),
        ("items", b'{"limit": "many"}'),
        ("items", b'{"limit": 201}'),
        ("items", b'{"limit": 0}'),
        ("items", b'{"after": "no-such-cursor", "limit": 1}'),
        ("files", encoded(unknown)),
    ):
        answer = connector.ask(operation, body, connector.signed(operation, body))
        expect(is_error(answer, 400), f"{operation} with {shown(body.decode())}: {answer}; 400 is expected.")


# -- items -------------------------------------------------------------------------------------------------


@_check("items", "List each published item once, with the members and types of the example.")
def items_have_their_form(connector: Connector) -> None:
    """Every item has its own id and address, and its members have the documented form."""
    items = connector.all_items()
    expect(items, "`items` lists no item.")
    for name in ("cmsId", "url"):
        values = [one.get(name) for one in items]
        wrong = next((one for one in values if not isinstance(one, str) or not one), None)
        expect(all(isinstance(one, str) and one for one in values), f"{name} of an item is {shown(wrong)}, not a text.")
        expect(len(set(map(str, values))) == len(values), f"Two items have the same {name}.")
    for one in items:
        said, fields = shown(one), one.get("fields")
        expect(len(one["cmsId"]) <= 64 and len(one["url"]) <= 2_000, f"An id or address is too long: {said}")
        expect(one["url"].startswith(("http://", "https://")), f"url is not an absolute address: {said}")
        kind_of = one.get("type")
        known = isinstance(kind_of, str) and 0 < len(kind_of) <= 64
        expect(
            known and one.get("status") == "published",
            f"type is not a text of 1 to 64 characters, or status is not published: {said}",
        )
        title = one.get("title")
        expect(
            isinstance(title, str) and len(title) <= 1_000, f"title is not a text of at most 1,000 characters: {said}"
        )
        expect(isinstance(fields, dict), f"fields is no object: {said}")
        for field, value in (fields or {}).items():
            kind = bool if field == "noindex" else str
            expect(field not in VALUES or value is None or isinstance(value, kind), f"{field} has another type: {said}")


@_check(
    "items",
    "Answer at most `limit` items that follow `after`, in a stable order, and send `next` on all pages "
    "except the last.",
)
def pages_of_items_miss_and_repeat_none(connector: Connector) -> None:
    """The pages of items together contain every item exactly once."""
    whole = [one["cmsId"] for one in connector.all_items()]
    found: list[str] = []
    after = None
    for _ in range(5):
        page = connector.items(after, 3)
        expect(len(page["items"]) <= 3, f"A page with limit 3 holds {len(page['items'])} items.")
        found += [one["cmsId"] for one in page["items"]]
        after = page.get("next")
        if after is None:
            break
    expected = whole if after is None else whole[: len(found)]
    expect(found == expected, f"In pages of three it lists {shown(found)}; in large pages {shown(expected)}.")


@_check(
    "items",
    "List the item's stored values in `fields`: noindex as true or false, and null if there is no value.",
    "any",
)
def items_tell_their_own_values(connector: Connector) -> None:
    """Items contain the values that were written."""
    before = connector.own()
    values = _values(connector)
    done = [(members := connector.asked(*one), connector.written(members)) for one in values.items()]
    own = connector.own()
    for field, value in values.items():
        expected = True if field == "noindex" else value
        expect(
            own.get(field) == expected, f"{field} is listed as {shown(own.get(field))}, but {shown(value)} was written."
        )
    for members, outcome in done:
        connector.undo(members, outcome)
    expect(
        connector.own() == before,
        f"After the undo, the connector lists {shown(connector.own())}; before, it listed {shown(before)}.",
    )


# -- changes -----------------------------------------------------------------------------------------------


def _values(connector: Connector) -> dict[str, str]:
    """A test value for each field that the connector can write."""
    return {field: value for field, value in VALUES.items() if field in connector.status["fields"]}


@_check("changes", "Store the value exactly, escape it where it is printed, and clear the page's caches.", "any")
def values_are_written_shown_and_undone(connector: Connector) -> None:
    """Each field is written, shown to visitors letter for letter, and undone."""
    for field, value in _values(connector).items():
        before, members = connector.shown(field), connector.asked(field, value)
        outcome = connector.written(members)
        expect(
            outcome.get("after") == value, f"`after` of {field} is {shown(outcome.get('after'))}, not {shown(value)}."
        )
        seen = connector.shown(field)
        expect(seen == value, f"Visitors see {shown(seen)} as {field}; {shown(value)} was written.")
        back = connector.undo(members, outcome)
        same = (back["state"], back.get("before"), back.get("after")) == ("written", value, outcome.get("before"))
        expect(same, f"The undo of {field} was answered with {shown(back)}.")
        seen = connector.shown(field)
        expect(
            seen == before, f"After the undo, visitors see {shown(seen)} as {field}; before, they saw {shown(before)}."
        )


@_check("changes", "If `value` is null, remove the item's own value, and restore it when the change is undone.", "any")
def null_takes_a_value_away(connector: Connector) -> None:
    """The value null removes the item's own value, and an undo restores it."""
    for field, value in _values(connector).items():
        members, gone = connector.asked(field, value), connector.asked(field, None)
        first, second = connector.written(members), connector.written(gone)
        same = (second.get("before"), second.get("after")) == (value, None)
        expect(same, f"Removing {field} was answered with {shown(second)}.")
        back = connector.undo(gone, second)
        expect(back.get("after") == value, f"The undo of removing {field} was answered with {shown(back)}.")
        connector.undo(members, first)


@_check(
    "changes",
    "Store the answers of the last 1,000 changes by id. If a change is repeated, send the same bytes again.",
    "title",
)
def a_known_id_is_answered_as_before(connector: Connector) -> None:
    """If a change is sent again, it gets the same answer, byte for byte, and is not written again."""
    members = connector.asked("title", "First")
    outcome = connector.written(members)
    later = connector.asked("title", "Second")
    second = connector.written(later)
    first, again = connector.send("changes", members), connector.send("changes", members)
    expect(first.content == outcome, f"The repeated change was answered with {first}.")
    expect(first.body == again.body, "The same change was answered with other bytes.")
    title = connector.own().get("title")
    expect(title == "Second", f"A repeated change was written again: the title is {shown(title)}.")
    refused = connector.asked("title", "Refused", cmsId="no-such-item")
    answers = [connector.send("changes", refused) for _ in range(2)]
    expect(answers[0].body == answers[1].body, "A refused change was answered with other bytes when it was repeated.")
    connector.undo(later, second)
    connector.undo(members, outcome)


@_check("changes", "Answer `superseded` if the field of the item was already written with a higher sequence.", "title")
def a_lower_sequence_is_superseded(connector: Connector) -> None:
    """A change is not written if its sequence is lower than that of the last written change. With the same sequence, it
    is written."""
    members = connector.asked("title", "Now")
    outcome = connector.written(members)
    late = connector.write(connector.asked("title", "Too late", sequence=connector.sequence - 1))
    expect(late["state"] == "superseded", f"A lower sequence was answered with {shown(late)}.")
    equal = connector.asked("title", "Equal")
    connector.undo(equal, connector.written(equal))
    connector.undo(members, outcome)


@_check(
    "changes",
    "Refuse a change that cannot be written with status 200, state refused and a reason of at most 500 characters.",
    "title",
)
def what_cannot_be_written_is_refused(connector: Connector) -> None:
    """A value that cannot be written is refused with a reason, and nothing is written."""
    before = connector.own()
    for asked in (
        connector.asked("title", "X", cmsId="no-such-item"),
        connector.asked("title", "X", cmsId="post:99999999"),
        connector.asked("title", "X", url=f"{connector.url}elsewhere/"),
        connector.asked("title", "   "),
        connector.asked("title", ""),
        connector.asked("title", "Two\nlines"),
        connector.asked("title", "x" * 4_001),
        connector.asked("noindex", "yes"),
        connector.asked("canonical", "/relative/"),
        connector.asked("canonical", "javascript:alert(1)"),
        connector.asked("title", None, restore='{"store":"nobody","raw":["x"]}'),
    ):
        outcome, reason = connector.write(asked), None
        reason = outcome.get("reason")
        good = outcome["state"] == "refused" and isinstance(reason, str) and 0 < len(reason) <= 500
        expect(good, f"{shown(asked)} was answered with {shown(outcome)}.")
    expect(
        connector.own() == before,
        f"After a refused change, the values are {shown(connector.own())}; before, they were {shown(before)}.",
    )


@_check("undo", "Store the written value with the undo. Refuse the undo if the item has another value now.", "title")
def an_undo_after_somebody_else_is_refused(connector: Connector) -> None:
    """An undo is refused if somebody has written another value since."""
    members, later = connector.asked("title", "First"), connector.asked("title", "Somebody else's")
    first, second = connector.written(members), connector.written(later)
    outcome = connector.undo(members, first)
    expect(outcome["state"] == "refused", f"The undo of a value that has changed since: {shown(outcome)}.")
    connector.undo(later, second)
    connector.undo(members, first)


@_check(
    "changes",
    "Process changes of the same field of an item one after the other. Answer 409 busy while a change is "
    "being processed.",
    "title",
)
def one_change_sent_often_happens_once(connector: Connector) -> None:
    """A change that is sent eight times at the same moment is written once."""
    before, members = connector.own().get("title"), connector.asked("title", "Once")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: connector.send("changes", members), range(8)))
    outcome = connector.written(members)
    for answer in answers:
        expect(
            answer.content == outcome or is_error(answer, 409, "busy"),
            f"One of eight simultaneous changes was answered with {answer}.",
        )
    expect(
        outcome.get("before") == before,
        f"`before` is {shown(outcome.get('before'))}, but the value was {shown(before)}.",
    )
    connector.undo(members, outcome)


# -- files -------------------------------------------------------------------------------------------------


@_check("files", "Serve the text at /llms.txt unchanged. An undo removes it or restores the earlier text.", "llmsTxt")
def llms_txt_is_written_shown_and_undone(connector: Connector) -> None:
    """/llms.txt is written, served character for character as plain text, and undone."""
    before = connector.file("llms.txt")
    text = "# Shop\n\n> Ünïcode & <b>\\n</b>\n\n- [Tents](https://shop.example/tents/)\n"
    members = connector.asked_file("llmsTxt", text)
    outcome = connector.written(members)
    seen = connector.file("llms.txt")
    expect(seen == text, f"/llms.txt holds {shown(seen)}; {shown(text)} was written.")
    long = connector.write(connector.asked_file("llmsTxt", "x" * 60_001))
    expect(long["state"] == "refused", f"60,001 characters were answered with {shown(long)}.")
    connector.undo(members, outcome)
    seen = connector.file("llms.txt")
    expect(seen == before, f"After the undo, /llms.txt has {shown(seen)}; before, it had {shown(before)}.")


@_check("undo", "If a text is too long for `undo`, store it in the CMS and send its hash.", "llmsTxt")
def a_long_text_is_undone(connector: Connector) -> None:
    """An undo restores a text of 60,000 characters exactly, although ``undo`` (the token) has at most 8,000
    characters."""
    # Characters that JSON escapes as two, six or twelve characters, and characters of four bytes.
    first, second = ('"\\\n\t\u2028🏕é' * 10_000)[:60_000], "# Shop\n" * 8_571
    done = [(asked := connector.asked_file("llmsTxt", text), connector.written(asked)) for text in (first, second)]
    undo = done[1][1].get("undo")
    expect(isinstance(undo, str) and len(undo) <= 8_000, "undo is not a text of at most 8,000 characters.")
    back = connector.undo(*done[1])
    expect(
        back.get("after") == first and connector.file("llms.txt") == first, "The undo did not restore the earlier text."
    )
    connector.undo(*done[0])


@_check(
    "files",
    "Write the lines between the two markers at the end of /robots.txt, and leave all other bytes unchanged.",
    "robotsBlock",
)
def the_robots_block_is_written_shown_and_undone(connector: Connector) -> None:
    """The lines for /robots.txt are served between their markers at the end of the file, and the undo removes them
    completely.
    """
    before, block = connector.file("robots.txt") or "", "User-agent: GPTBot\nDisallow: /\n"
    members = connector.asked_file("robotsBlock", block)
    outcome = connector.written(members)
    seen = connector.file("robots.txt") or ""
    expect(seen.rstrip().endswith(f"{BEGIN}\n{block}{END}"), f"/robots.txt ends with {shown(seen[-_TAIL:])}.")
    expect(outcome.get("before") is not None or seen.startswith(before), "The earlier text of /robots.txt is changed.")
    connector.undo(members, outcome)
    seen = connector.file("robots.txt") or ""
    expect(
        seen == before,
        f"After the undo, /robots.txt ends with {shown(seen[-_TAIL:])}; before, it ended with "
        f"{shown(before[-_TAIL:])}.",
    )


@_check("files", "Serve the key as plain text at its address. After it is removed, answer 404.", "indexNowKey")
def the_key_for_search_engines_is_shown_and_removed(connector: Connector) -> None:
    """The key for search engines is served at its address, and the undo removes it. A text that is no valid key is
    refused."""
    for wrong in ("short", "x" * 129, "key/../../of.somebody"):
        outcome = connector.write(connector.asked_file("indexNowKey", wrong))
        expect(outcome["state"] == "refused", f"The key {shown(wrong)} was answered with {shown(outcome)}.")
    key = "Key-of-the-checks-0123456789"
    members = connector.asked_file("indexNowKey", key)
    outcome = connector.written(members)
    seen = connector.file(f"{key}.txt")
    expect(seen == key, f"/{key}.txt holds {shown(seen)}; the key was written.")
    connector.undo(members, outcome)
    seen = connector.file(f"{key}.txt")
    expect(seen is None, f"After the undo /{key}.txt still holds {shown(seen)}.")


_TAIL: Final = 150


# -- pairing -----------------------------------------------------------------------------------------------


def pair(connector: Connector, code: str) -> dict[str, Any]:
    """Pair with a code that a user made, and check the pairing. Returns the connector's status."""
    strangers = ("0" * 16, "ABCD-EFGH-JKLM")
    for wrong in strangers:
        answer = connector.pair(wrong, make_secret())
        expect(is_error(answer, 403, "bad_code"), f"A wrong code was answered with {answer}; 403 bad_code is expected.")
    paired = connector.pair(code, connector.secret)
    if paired.status != 200 or paired.content is None:
        raise Wrong(
            f"The code was answered with {paired}; the answer of `status` is expected. A code is valid once, for 15 "
            "minutes."
        )
    again = connector.pair(code, connector.secret)
    expect(again.content == paired.content, f"The repeated pairing request was answered with {again}.")
    other = connector.pair(code, make_secret())
    expect(is_error(other, 403, "bad_code"), f"The used code was answered with {other}; 403 bad_code is expected.")
    status = connector.call("status", {})
    expect(
        status == paired.content,
        f"`pair` was answered with {paired}, but `status` with {shown(status)}; both must be equal.",
    )
    return status
