"""Killed at any write, the removal of a workspace is not begun, or goes on when it is asked for again."""

import contextlib
from typing import Any

import pytest

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import departures
from chalicelib.store import accounts
from local import embedded
from tests.api.conftest import bucket as bucket
from tests.crash.crashing import Killed, each_step, killed_at, points
from tests.departures import NAME, SHARED, everything, signed_in, workspace_that_leaves, workspace_that_stays

pytestmark = [
    pytest.mark.usefixtures("bucket"),
    pytest.mark.calm("kills at each write in turn, and counts them"),
]


@each_step
def test_a_killed_removal_of_a_workspace_can_be_completed(step: int) -> None:
    workspace_id, before = world()
    with killed_at(None) as counter:
        departures.remove(OPERATOR, workspace_id, NAME)
    assert everything() == before
    assert counter.count > 40
    for point in points(counter.count, step):
        workspace_id, before = world()
        with contextlib.suppress(Killed), killed_at(point.number, point.when):
            departures.remove(OPERATOR, workspace_id, NAME)
        if accounts.any_workspace(workspace_id) is not None:
            if accounts.workspace(workspace_id) is not None:
                assert point == (0, "before")
            departures.remove(OPERATOR, workspace_id, NAME)
        assert everything() == before, point


def world() -> tuple[str, dict[str, list[Any]]]:
    """The id of a workspace that leaves, and all that was stored before it came."""
    embedded.clear()
    stays = workspace_that_stays()
    shared = signed_in(stays, SHARED)
    before = everything()
    return workspace_that_leaves(shared).workspace_id, before
