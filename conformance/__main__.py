"""Checks a connector: ``python -m conformance ADDRESS --code CODE``. See docs/connector.md, "Checking a connector".

Exit status 0: every check passed. 1: a check failed. 2: the connector could not be checked. 130: interrupted.
"""

import argparse
import os
import sys
from collections.abc import Callable

from conformance import checks, keyed_checks
from conformance.check import Check
from conformance.checks import pair
from conformance.connector import Connector, Wrong, make_secret, shown

CHECKS = (*checks.CHECKS, *keyed_checks.CHECKS)
SECRET: str = "CONNECTOR_SECRET"  # noqa: S105 - the name of a variable
EPILOG = (
    f"Instead of giving --code, you can set the variable {SECRET} to the secret of an existing connection. Exit "
    "status: 0 if all checks pass, 1 if a check fails, 2 if the connector could not be checked, 130 if you "
    "interrupted it."
)


def main(arguments: list[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    secret = os.environ.get(SECRET, "")
    if not given.code and not secret:
        print(f"Name a code that a person made (--code), or the secret of the connection ({SECRET}).", file=sys.stderr)
        return 2
    connector = Connector(given.address, make_secret() if given.code else secret, item=given.item)
    wrong = _seen(lambda connector: _begin(connector, given.code), connector)
    if wrong:
        print(f"The connector could not be checked. {wrong}", file=sys.stderr)
        return 2
    print(f"         Values are written to {connector.item}, {connector.url}, and undone.")
    try:
        outcomes = [_outcome(check, connector) for check in CHECKS]
    except KeyboardInterrupt:
        left = _seen(Connector.restore, connector)
        print(f"Interrupted. {left or 'The values that were written are undone.'}", file=sys.stderr)
        return 130
    counted = ", ".join(f"{outcomes.count(name)} {name}" for name in ("ok", "wrong", "left out"))
    print(f"{len(outcomes)} checks: {counted}.")
    return 1 if "wrong" in outcomes else 0


def _begin(connector: Connector, code: str | None) -> None:
    """Pair if a code is given, and choose the item to write."""
    if code:
        connector.status = pair(connector, code)
        print("ok       A code pairs once, and a wrong or used one changes nothing.")
    else:
        connector.status = connector.call("status", {})
    connector.choose()
    if "alt" in (connector.status.get("fields") or []):
        connector.choose_image()


def _outcome(check: Check, connector: Connector) -> str:
    """Run one check and print its result: ok, wrong or left out."""
    why_not = _why_not(check, connector)
    if why_not:
        print(f"left out {check.says}\n         {why_not}")
        return "left out"
    seen = [_seen(check.run, connector), _seen(Connector.restore, connector)]
    if seen == ["", ""]:
        print(f"ok       {check.says}")
        return "ok"
    print(f"wrong    {check.says}")
    for one in filter(None, seen):
        print(f"         Seen: {one}")
    print(f"         To change: {check.change} (docs/connector.md#{check.section})")
    return "wrong"


def _seen(step: Callable[[Connector], None], connector: Connector) -> str:
    """Run one step. Returns its failure in words; "" if it passed."""
    try:
        step(connector)
    except Wrong as wrong:
        return str(wrong)
    except (AttributeError, LookupError, TypeError) as error:  # a member is missing; another check reports that
        return f"An answer lacks a member, or has one of another type ({type(error).__name__}: {shown(str(error))})."
    return ""


def _why_not(check: Check, connector: Connector) -> str:
    """Why the check does not apply to the connector. Returns "" if it applies."""
    if not check.needs:
        return ""
    if connector.status.get("writable") is not True:
        return f"The connector says that nothing can be written: {connector.status.get('reason')}"
    named = [*(connector.status.get("fields") or []), *(connector.status.get("files") or [])]
    if connector.status.get("redirects") is True:
        named.append("redirects")
    if check.needs == "alt" and "alt" in named and not connector.pictured:
        return "None of the checked pages shows an image; name an item with --item."
    if check.needs not in named and not (check.needs == "any" and connector.status.get("fields")):
        return f"`status` names no {'field' if check.needs == 'any' else check.needs} that can be written."
    return ""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m conformance", description="Checks a connector from outside.", epilog=EPILOG
    )
    parser.add_argument("address", help="the connector's address, such as https://shop.example/wp-json/wos/v1")
    parser.add_argument("--code", help="a pairing code that a person made; the new pairing replaces the earlier one")
    parser.add_argument(
        "--item", help="the cmsId of the item to write values to (default: an item without its own values)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
