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

    - ``due_at``: the job does not start before this time.
    - ``slice``: how many parts were committed in all its runs.
    - ``fence``: how many times a worker has claimed the job. Only the last of these workers may write.
    - ``stalled``: how many workers in a row made no progress.
    - ``lease_until``: the end of the worker's lease; 0 if no worker holds the job.
    - ``started_at``: when a worker first claimed it; None if none has.
    - ``ended_at``: None until the job is done.
    - ``error``: why the job, or the last run of a recurring job, failed, in words.
    - ``payload``: the input of its kind of work.
    - ``result``: the packed result, for kinds that show one.
    - ``lane`` and ``slot``: the queue of the worker that holds the job, and the workspace's concurrency slot in that
      queue.
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
        """The name of the work: the job's kind. If the job is for one of the website's connections, the connection's
        name is appended."""
        connection = self.payload.get("connection")
        return self.kind if connection is None else f"{self.kind}.{connection}"

    def claimed(self, now: float, lease_until: float, lane: str | None = None, slot: int | None = None) -> "Job":
        """Return the job after a further worker claimed it."""
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
        """Return the job after a part is done and its lease is released. The next part is due at ``due_at``.

        - ``payload``: input members to change.
        - ``error``: why the part failed, if it did.

        A recurring job never ends. It schedules its next run with this function.
        """
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
        """Return the job restarted from its beginning. If a worker holds it, that worker loses its lease."""
        return msgspec.structs.replace(self.goes_on(now, **payload), fence=self.fence + 1, lane=None, slot=None)

    def advanced(self, lease_until: float, **payload: Any) -> "Job":
        """Return the job after a part is done. Its lease is extended, because the same worker continues with the next
        part."""
        return msgspec.structs.replace(
            self, slice=self.slice + 1, stalled=0, lease_until=lease_until, payload={**self.payload, **payload}
        )

    def begun(self, lease_until: float, **payload: Any) -> "Job":
        """Return the job with its lease extended, just before a part starts. This does not count as progress: if the
        worker dies now, it counts as stalled."""
        return msgspec.structs.replace(
            self, slice=self.slice + 1, lease_until=lease_until, payload={**self.payload, **payload}
        )

    def done(self, now: float, error: str | None = None, result: bytes | None = None) -> "Job":
        """Return the job after its end, with its lease released. ``error``: why the job failed; None if it did not
        fail."""
        return msgspec.structs.replace(
            self, slice=self.slice + 1, lease_until=0.0, ended_at=now, error=error, result=result
        )
