"""Webhook endpoints, deliveries and tries of deliveries, as they are stored. Also decides what happens to a delivery
after a try."""

from typing import Literal, NamedTuple

import msgspec

from chalicelib.domain.webhooks.retries import TRIES, next_try

FAILURES_UNTIL_OFF = 20
FAILURES_UNTIL_OWN_LANE = 4  # "keeps failing": more than three in a row
OFF_AFTER_FAILURES = f"{FAILURES_UNTIL_OFF} tries in a row failed"
OFF_BY_PERSON = "switched off by a person"

Kind = Literal["event", "ping"]
State = Literal["waiting", "delivered", "failed", "endpoint_off", "endpoint_removed", "event_not_ticked", "dropped"]
EndpointState = Literal["on", "off"]
Phase = Literal["dns", "connect", "tls", "write", "headers", "status"]


class WebhookEndpoint(msgspec.Struct, frozen=True):
    """A receiver's address. Times are epoch seconds.

    - ``period``: how many times the endpoint was switched off so far. Each delivery stores the period in which it was
      made. Deliveries of an earlier period are not sent after the endpoint is switched on again.
    - ``secret``: the signing secret, encrypted.
    """

    id: str
    workspace_id: str
    url: str
    events: list[str]
    state: EndpointState
    created_at: float
    secret: bytes
    failures_in_a_row: int = 0
    off_reason: str | None = None
    off_at: float | None = None
    period: int = 0

    def __repr__(self) -> str:
        return f"WebhookEndpoint({self.id}, {self.state})"

    @property
    def keeps_failing(self) -> bool:
        """Whether the endpoint keeps failing. Its deliveries then use a separate queue, so that they delay no other
        endpoint."""
        return self.failures_in_a_row >= FAILURES_UNTIL_OWN_LANE


class Attempt(msgspec.Struct, frozen=True):
    """One try of a delivery.

    - ``phase``: the phase in which the try failed; None if a 2xx answer came in time.
    - ``error``: the reason in words.
    - ``reply``: the first KB of the answer's body.
    - ``ms``: the time until the answer's headers or the failure.
    """

    at: float
    phase: Phase | None
    status: int | None
    ms: int
    reply: str = ""
    error: str | None = None
    replay: bool = False

    @property
    def succeeded(self) -> bool:
        return self.phase is None


class Delivery(msgspec.Struct, frozen=True):
    """One event for one endpoint. ``body``: built once; its bytes are signed and sent at each try.

    - ``tries``: how many tries of the schedule were made.
    - ``attempts``: every try, including replays.
    - ``replay_of``: the delivery's state before a person requested that it be sent again; None if no such replay waits.
    - ``lease_until``: the end of the lease of the worker that sends it.
    - ``own_failures``: how many tries in a row the service itself failed to make.
    """

    id: str
    workspace_id: str
    endpoint_id: str
    event: str
    created_at: float
    body: bytes
    state: State = "waiting"
    kind: Kind = "event"
    period: int = 0
    tries: int = 0
    attempts: list[Attempt] = []
    next_try_at: float | None = None
    lease_until: float = 0.0
    replay_of: State | None = None
    request_id: str | None = None
    own_failures: int = 0

    def __repr__(self) -> str:
        return f"Delivery({self.id}, {self.state}, tries={self.tries})"

    @property
    def counts(self) -> bool:
        """Whether the delivery's tries count towards switching the endpoint off. Tries of pings and replays do not
        count."""
        return self.kind == "event" and self.replay_of is None

    @property
    def waiting_since(self) -> float:
        """The approximate time since which the delivery has been waiting. It is the time of its last try. Without a
        try, it is the time of its creation."""
        return self.attempts[-1].at if self.attempts else self.created_at


class After(NamedTuple):
    """A delivery after a try: its state, how many tries of the schedule were made, and the time of the next try."""

    state: State
    tries: int
    next_try_at: float | None


def ended_by(delivery: Delivery, endpoint: WebhookEndpoint | None) -> State | None:
    """Return the state in which a waiting delivery ends because its endpoint changed; None if it may be sent."""
    if endpoint is None:
        return delivery.replay_of or "endpoint_removed"
    if not delivery.counts:
        return None  # a person requested this very try
    if endpoint.state == "off" or endpoint.period != delivery.period:
        return "endpoint_off"
    if delivery.event not in endpoint.events:
        return "event_not_ticked"
    return None


def after(delivery: Delivery, attempt: Attempt, now: float) -> After:
    """Return the delivery's state after a try that ended at ``now``."""
    if delivery.replay_of is not None:
        return After("delivered" if attempt.succeeded else delivery.replay_of, delivery.tries, None)
    tries = delivery.tries + 1
    if attempt.succeeded:
        return After("delivered", tries, None)
    again = next_try(tries, now) if delivery.kind == "event" and tries < TRIES else None
    return After("failed" if again is None else "waiting", tries, again)
