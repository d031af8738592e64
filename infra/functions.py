"""The functions of a deployment, and the rights of each. No right is given anywhere else.

``infra/rewriting.py`` makes the functions, their roles and their environment from this table. A test fails if a
function uses a right that is missing here. A run of the whole suite also fails if a right from this table was never
used (``tests/plugins/rights.py``). ``python -m infra.functions FOLDER`` reports missing and unused rights from the
calls that a run recorded in the folder.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from infra.function import Call, Function, group, lanes, room, worker

# An endpoint group may use single actions of a table. A worker may use all read actions, or all write actions, since it
# needs different ones each time that it resumes another worker's job.
_READ: Final = "BatchGetItem GetItem Query"
_WRITE: Final = "BatchWriteItem ConditionCheckItem DeleteItem PutItem UpdateItem"
_BOTH: Final = f"{_READ} {_WRITE}"
# Write a file that is too large for an answer, and sign its address.
_FILES: Final = ("GetObject", "PutObject")
# Store an answer under its Idempotency-Key.
_ANSWERED_ONCE: Final = "DeleteItem PutItem UpdateItem"

FUNCTIONS: Final[tuple[Function, ...]] = (
    group(
        "public",
        memory_mb=256,
        concurrency=5,
        keyed=False,
    ),
    group(
        "sites",
        secrets=("CURSOR_SECRET",),
        accounts="BatchGetItem",
        ai="BatchGetItem GetItem",
        crawls="Query",
        sites="BatchGetItem Query",
    ),
    group(
        "issues",
        bucket=_FILES,
        sends=("agentic", "recheck"),
        changes="BatchGetItem",
        crawls="GetItem PutItem",
        issues="BatchGetItem GetItem PutItem Query",
        jobs="PutItem",
        ops=_ANSWERED_ONCE,
        pages="BatchGetItem",
    ),
    group(
        "actions",
        bucket=_FILES,
        sends=("writes",),
        secrets=("CURSOR_SECRET",),
        accounts="ConditionCheckItem",
        changes="BatchGetItem GetItem PutItem Query",
        issues="BatchGetItem GetItem PutItem",
        jobs="PutItem",
        ops=_ANSWERED_ONCE,
        pages="BatchGetItem",
    ),
    group(
        "pages",
        bucket=_FILES,
        ai="BatchGetItem",
        crawls="BatchGetItem GetItem Query",
        issues="BatchGetItem GetItem",
        pages="BatchGetItem Query",
    ),
    group(
        "search",
        memory_mb=1769,
        bucket=_FILES,
        secrets=("CURSOR_SECRET",),
        ops="BatchGetItem BatchWriteItem PutItem",
        search="BatchGetItem",
    ),
    group(
        "topics",
        bucket=_FILES,
        memory_mb=1769,
        concurrency=10,
        ops="BatchGetItem BatchWriteItem GetItem PutItem UpdateItem",
        pages="Query",
        search="BatchGetItem",
    ),
    group(
        "analytics",
        bucket=_FILES,
        memory_mb=1024,
        concurrency=10,
        sends=("outbox",),
        decrypts=("analytics",),
        encrypts=("analytics",),
        secrets=("CURSOR_SECRET",),
        ops="BatchGetItem BatchWriteItem GetItem PutItem",
        search="BatchGetItem",
        sites="UpdateItem",
        webhooks="PutItem",
    ),
    # Reads the live files of websites, which may take ten seconds.
    group(
        "readiness",
        ai="BatchGetItem GetItem",
        ops="GetItem UpdateItem",
    ),
    group(
        "readiness",
        acts=True,
        concurrency=10,
        sends=("writes",),
        accounts="ConditionCheckItem",
        ai="BatchGetItem PutItem",
        changes="BatchGetItem GetItem PutItem",
        jobs="PutItem",
        ops=_ANSWERED_ONCE,
    ),
    group(
        "visibility",
        ai="BatchGetItem",
    ),
    group(
        "agentic",
        sends=("agentic",),
        accounts="BatchGetItem",
        ai="BatchGetItem GetItem PutItem",
        jobs="BatchGetItem GetItem PutItem",
        ops=_ANSWERED_ONCE,
        sites="BatchGetItem",
    ),
    group(
        "audits",
        bucket=_FILES,
        sends=("crawl",),
        accounts="BatchGetItem",
        crawls="BatchGetItem PutItem Query",
        ops=_ANSWERED_ONCE,
        sites="BatchGetItem UpdateItem",
    ),
    # Looks up the host name of an address, which may take five seconds.
    group(
        "previews",
        bucket=_FILES,
        sends=("crawl",),
        encrypts=("preview",),
        accounts="BatchGetItem",
        crawls="BatchGetItem GetItem PutItem Query",
        ops=_ANSWERED_ONCE,
        sites="BatchGetItem ConditionCheckItem",
    ),
    group(
        "exports",
        bucket=("GetObject",),
        sends=("exports",),
        jobs="GetItem PutItem",
        ops=_ANSWERED_ONCE,
    ),
    group(
        "content",
        memory_mb=1024,
        sends=("imports", "recheck"),
        accounts="BatchGetItem",
        crawls="BatchGetItem ConditionCheckItem GetItem PutItem",
        jobs="UpdateItem",
        ops=_ANSWERED_ONCE,
        pages="BatchGetItem PutItem",
        sites="BatchGetItem UpdateItem",
    ),
    # The app calls every endpoint that reads, so it has the read rights of all their groups; and it counts a session's
    # requests.
    room(
        "web",
        memory_mb=1769,
        concurrency=30,
        indexes=("log",),
        sends=("outbox",),
        decrypts=("analytics",),
        encrypts=("analytics",),
        bucket=("GetObject", "PutObject"),
        secrets=("CURSOR_SECRET",),
        accounts="BatchGetItem GetItem Query UpdateItem",
        ai="BatchGetItem GetItem",
        changes="BatchGetItem GetItem Query",
        crawls="BatchGetItem GetItem Query",
        issues="BatchGetItem GetItem Query",
        jobs="BatchGetItem GetItem",
        ops="BatchGetItem BatchWriteItem GetItem PutItem UpdateItem",
        pages="BatchGetItem Query",
        search="BatchGetItem",
        sites="BatchGetItem GetItem Query UpdateItem",
        webhooks="BatchGetItem GetItem PutItem Query",
    ),
    # Actions of people: calls the endpoints that write, signs in and out, sends sign-in links, and connects websites.
    room(
        "web",
        acts=True,
        memory_mb=1024,
        concurrency=10,
        indexes=("log",),
        sends=("agentic", "crawl", "deliveries", "exports", "imports", "outbox", "recheck", "sampling", "writes"),
        decrypts=("analytics", "cms", "search", "shop"),
        encrypts=("analytics", "assistant", "cms", "endpoint", "search", "shop"),
        secrets=("GOOGLE_CLIENT_SECRET", "MAIL_URL"),
        mails=("DeleteSuppressedDestination", "SendEmail"),
        accounts="BatchGetItem ConditionCheckItem DeleteItem GetItem PutItem Query UpdateItem",
        ai="BatchGetItem GetItem PutItem",
        changes="BatchGetItem GetItem PutItem Query",
        crawls="BatchGetItem GetItem PutItem Query UpdateItem",
        issues="BatchGetItem GetItem PutItem Query",
        jobs="BatchGetItem DeleteItem GetItem PutItem UpdateItem",
        ops="DeleteItem GetItem PutItem UpdateItem",
        pages="BatchGetItem Query",
        search="BatchGetItem DeleteItem",
        sites="BatchGetItem DeleteItem GetItem PutItem Query UpdateItem",
        webhooks="BatchGetItem DeleteItem GetItem PutItem Query UpdateItem",
    ),
    # Calls the endpoints of other groups in its own process, so it has their functions' rights for these calls.
    room(
        "mcp",
        memory_mb=1769,
        concurrency=20,
        sends=("agentic", "crawl", "outbox", "recheck", "writes"),
        decrypts=("analytics",),
        encrypts=("analytics",),
        secrets=("CURSOR_SECRET",),
        accounts="BatchGetItem ConditionCheckItem UpdateItem",
        ai="BatchGetItem GetItem",
        changes="BatchGetItem GetItem PutItem",
        crawls="GetItem PutItem BatchGetItem",
        issues="BatchGetItem GetItem PutItem",
        jobs="BatchGetItem GetItem PutItem",
        ops="BatchGetItem BatchWriteItem DeleteItem GetItem PutItem UpdateItem",
        pages="BatchGetItem Query",
        search="BatchGetItem",
        sites="BatchGetItem GetItem Query UpdateItem",
        webhooks="PutItem",
    ),
    *lanes(
        "crawl",
        memory_mb=1769,
        timeout=900,
        concurrency=100,
        slow=30,
        sends=("agentic", "crawl", "outbox", "recheck"),
        decrypts=("preview",),
        ai=_BOTH,
        crawls=_BOTH,
        issues=_BOTH,
        jobs=_WRITE,
        pages=_BOTH,
        search=_READ,
        sites=_BOTH,
        webhooks=_WRITE,
    ),
    *lanes(
        "recheck",
        memory_mb=1024,
        timeout=900,
        concurrency=50,
        slow=15,
        sends=("outbox", "recheck"),
        ai=_READ,
        changes=_BOTH,
        crawls=_BOTH,
        issues=_BOTH,
        jobs=_READ,
        pages=_BOTH,
        search=_READ,
        sites=_BOTH,
        webhooks=_WRITE,
    ),
    *lanes(
        "writes",
        memory_mb=1024,
        timeout=300,
        concurrency=15,
        slow=5,
        sends=("imports", "outbox", "recheck", "writes"),
        decrypts=("cms", "shop"),
        invoke=("Reader",),
        ai=_BOTH,
        changes=_BOTH,
        crawls=_BOTH,
        issues=_BOTH,
        jobs=_BOTH,
        pages=_BOTH,
        sites=_BOTH,
        webhooks=_WRITE,
    ),
    # Reads untrusted pages for ``writes``, which holds credentials; so it has no rights.
    worker(
        "reader",
        memory_mb=1024,
        timeout=75,
        concurrency=160,  # eight concurrent calls of each writer
    ),
    *lanes(
        "imports",
        memory_mb=1024,
        timeout=300,
        concurrency=20,
        slow=10,
        sends=("imports", "outbox"),
        decrypts=("analytics", "cms", "search", "shop"),
        encrypts=("analytics", "search"),
        secrets=("CRUX_API_KEY",),
        ai=_BOTH,
        changes=_BOTH,
        crawls=_BOTH,
        issues=_BOTH,
        jobs=_BOTH,
        ops="GetItem UpdateItem",
        pages=_BOTH,
        search=_BOTH,
        sites=_BOTH,
        webhooks=_BOTH,
    ),
    *lanes(
        "sampling",
        memory_mb=512,
        timeout=300,
        concurrency=10,
        slow=5,
        sends=("imports", "sampling"),
        decrypts=("assistant",),
        secrets=("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY", "PERPLEXITY_API_KEY"),
        accounts=_READ,
        ai=_BOTH,
        crawls=_READ,
        issues=_BOTH,
        jobs=_BOTH,
        ops="GetItem",
        pages=_READ,
        sites=_READ,
    ),
    *lanes(
        "agentic",
        memory_mb=512,
        timeout=300,
        concurrency=10,
        slow=5,
        sends=("agentic", "crawl", "outbox", "recheck"),
        secrets=("PAGESPEED_API_KEY",),
        invoke=("Engine",),
        accounts=_READ,
        ai=_BOTH,
        crawls=_BOTH,
        issues=_READ,
        jobs=_BOTH,
        pages=_READ,
        search=_READ,
        sites=_READ,
        webhooks=_WRITE,
    ),
    # Calls the endpoints that read, so it has their functions' rights for these calls.
    worker(
        "exports",
        memory_mb=1769,
        timeout=900,
        concurrency=5,
        queue="exports",
        sends=("exports",),
        decrypts=("analytics",),
        encrypts=("analytics",),
        bucket=("PutObject",),
        secrets=("CURSOR_SECRET",),
        accounts=_READ,
        ai=_READ,
        changes=_READ,
        crawls=_READ,
        issues=_READ,
        jobs=_BOTH,
        ops=_BOTH,
        pages=_READ,
        search=_READ,
        sites=_BOTH,
    ),
    worker(
        "outbox",
        memory_mb=512,
        timeout=60,
        concurrency=20,
        queue="outbox",
        sends=("deliveries", "deliveries-failing"),
        issues="GetItem",
        ops="GetItem",
        sites="GetItem",
        webhooks=_BOTH,
    ),
    worker(
        "deliveries",
        memory_mb=512,
        timeout=45,
        concurrency=50,
        queue="deliveries",
        indexes=("log",),
        sends=("deliveries", "deliveries-failing"),
        decrypts=("endpoint",),
        webhooks=_BOTH,
    ),
    worker(
        "deliveries_failing",
        memory_mb=512,
        timeout=45,
        concurrency=10,
        queue="deliveries-failing",
        indexes=("log",),
        sends=("deliveries", "deliveries-failing"),
        decrypts=("endpoint",),
        webhooks=_BOTH,
    ),
    worker(
        "sweeper",
        memory_mb=512,
        timeout=55,
        concurrency=2,
        indexes=("dueDeliveries", "overdueJobs", "running"),
        sends=("agentic", "crawl", "deliveries", "exports", "imports", "outbox", "recheck", "sampling", "writes"),
        webhooks=_READ,
    ),
    worker(
        "notices",
        memory_mb=512,
        timeout=55,
        concurrency=2,
        indexes=("dueDeliveries",),
        secrets=("MAIL_URL",),
        mails=("GetSuppressedDestination", "SendEmail"),
        accounts="BatchGetItem GetItem",
        crawls="Query",
        issues="GetItem",
        ops="GetItem",
        sites="BatchGetItem ConditionCheckItem DeleteItem GetItem PutItem",
        webhooks=_BOTH,
    ),
    worker(
        "weekly",
        memory_mb=512,
        timeout=900,
        concurrency=2,
        indexes=("due", "running"),
        sends=("crawl",),
        accounts=_READ,
        crawls=_WRITE,
        sites=_BOTH,
    ),
)

_RIGHTS: Final = {function.name: function.calls for function in FUNCTIONS}
_TWINS: Final = {function.name: function.twin for function in FUNCTIONS if function.twin is not None}


def of_endpoint(group: str, method: str) -> Function:
    """Return the function that answers requests with this method to paths of the group."""
    of_group = [function for function in FUNCTIONS if function.group == group]
    chosen = [one for one in of_group if method in one.methods] or [one for one in of_group if not one.methods]
    (found,) = chosen
    return found


def allowed(function: str, call: Call) -> bool:
    """Whether the function has the right that this call needs."""
    return _needed(call) in _RIGHTS.get(function, ())


def _needed(call: Call) -> Call:
    """Return the right that a call needs. The right to send to a queue also allows looking up its address."""
    return call._replace(action="SendMessage") if call.action == "GetQueueUrl" else call


def missing(used: Iterable[tuple[str, Call]]) -> list[str]:
    """Describe the recorded calls for which the calling function has no right, one line each."""
    return _lines((function, call) for function, call in used if not allowed(function, call))


def unused(used: Iterable[tuple[str, Call]]) -> list[str]:
    """Describe the unused rights, one line each.

    All read actions of a table count as used after one of them was used, and so do all write actions. If two functions
    do the same work, a right that one of them used counts as used by both.
    """
    done = {(function, _needed(call)) for function, call in used}
    for name, calls in _RIGHTS.items():
        for kind in (_READ, _WRITE):
            for table in {call.name for call in calls if call.kind == "table"}:
                every = {(name, Call("table", table, action)) for action in kind.split()}
                if {call for _, call in every} <= calls and not every.isdisjoint(done):
                    done |= every
    done |= {(_TWINS[function], call) for function, call in done if function in _TWINS}
    return _lines({(name, call) for name, calls in _RIGHTS.items() for call in calls} - done)


def _lines(found: Iterable[tuple[str, Call]]) -> list[str]:
    return [f"{function}: {call.action} {call.kind} {call.name}" for function, call in sorted(set(found))]


def _main(folder: Path) -> int:
    used = {
        (function, Call(*call))
        for path in folder.glob("*.json")
        for function, *call in json.loads(path.read_text(encoding="utf-8"))
    }
    lines = [f"missing: {line}" for line in missing(used)] + [f"unused: {line}" for line in unused(used)]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(_main(Path(sys.argv[1])))
