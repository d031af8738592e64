"""Jobs: a website's background work other than crawls, done once or repeatedly."""

from typing import Any, Final, Literal

import msgspec

JobKind = Literal[
    "connection_status",
    "content_sync",
    "search_import",
    "keyword_tasks",
    "analytics_tasks",
    "sampling",
    "write",
    "agentic_run",
    "speed_tests",
    "speed_recheck",
    "render",
    "field_data",
    "index_now",
    "export",
    "removal",
    "drafts",
]

STALLED_TAKEOVERS: Final = 3  # this many workers in a row made no progress: the job fails


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A job as it is stored. Times are epoch seconds.

    ``due_at``: the job does not start before. ``slice``: how many parts were committed, over all its runs. ``fence``:
    how many workers have claimed it; only the last may write. ``stalled``: how many of them in a row made no progress.
    ``lease_until``: until when a worker holds it (0: nobody does). ``started_at``: when a worker first took it up;
    None: none has. ``ended_at`` None: it is still to be done. ``error``: why it, or the last run of a recurring one,
    failed, in words. ``payload``: the input of its kind of work. ``result``: the packed result, if its kind has one to
    show. ``lane`` and ``slot``: the queue of the worker that holds it, and the concurrency slot of its workspace that
    it holds there.
    """

    id: str
    kind: JobKind
    site_id: str
    workspace_id: str
    queued_at: float
    due_at: float
    slice: int = 0
    fence: int = 0
    stalled: int = 0
    lease_until: float = 0.0
    ended_at: float | None = None
    error: str | None = None
    payload: dict[str, Any] = {}
    started_at: float | None = None
    result: bytes | None = None
    lane: str | None = None
    slot: int | None = None

    @property
    def ended(self) -> bool:
        return self.ended_at is not None

    @property
    def work(self) -> str:
        """The kind of work: the job's kind, and the connection if a website may have several."""
        connection = self.payload.get("connection")
        return self.kind if connection is None else f"{self.kind}.{connection}"

    def claimed(self, now: float, lease_until: float, lane: str | None = None, slot: int | None = None) -> "Job":
        """The job after one more worker claimed it."""
        return msgspec.structs.replace(
            self,
            fence=self.fence + 1,
            stalled=self.stalled + 1,
            lease_until=lease_until,
            started_at=now if self.started_at is None else self.started_at,
            lane=lane,
            slot=slot,
        )

    def goes_on(self, due_at: float, *, error: str | None = None, **payload: Any) -> "Job":
        """The job after a part of it was done: the next part is due at ``due_at``. ``payload``: the changed members of
        its input. A recurring job, which never ends, continues at its next time."""
        return msgspec.structs.replace(
            self,
            slice=self.slice + 1,
            stalled=0,
            lease_until=0.0,
            due_at=due_at,
            error=error,
            payload={**self.payload, **payload},
        )

    def begun_again(self, now: float, **payload: Any) -> "Job":
        """The job restarted from its beginning. A worker that holds it loses it."""
        return msgspec.structs.replace(self.goes_on(now, **payload), fence=self.fence + 1, lane=None, slot=None)

    def advanced(self, lease_until: float, **payload: Any) -> "Job":
        """The job after its worker finished a part and keeps the job for the next one."""
        return msgspec.structs.replace(
            self, slice=self.slice + 1, stalled=0, lease_until=lease_until, payload={**self.payload, **payload}
        )

    def begun(self, lease_until: float, **payload: Any) -> "Job":
        """The job before a part of it starts. That is not progress: a worker that dies now counts as stalled."""
        return msgspec.structs.replace(
            self, slice=self.slice + 1, lease_until=lease_until, payload={**self.payload, **payload}
        )

    def done(self, now: float, error: str | None = None, result: bytes | None = None) -> "Job":
        """The job at its end."""
        return msgspec.structs.replace(
            self, slice=self.slice + 1, lease_until=0.0, ended_at=now, error=error, result=result
        )
