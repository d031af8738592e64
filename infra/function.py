"""A function of a deployment and its rights, as types; ``infra/functions.py`` lists the functions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

WRITING: Final = ("POST", "PUT", "PATCH", "DELETE")
API_TIMEOUT_SECONDS: Final = 29  # the gateway's own limit

# The kinds of stored secrets, with the member of their context (``store.secrets``) that identifies the kind, and its
# value; "*": any value.
SECRETS: Final[Mapping[str, tuple[str, str]]] = {
    "cms": ("connection", "cms"),
    "shop": ("connection", "shop"),
    "search": ("connection", "search"),
    "analytics": ("connection", "analytics"),
    "assistant": ("assistant", "*"),
    "endpoint": ("endpointId", "*"),
    "preview": ("previewId", "*"),
}


class Call(NamedTuple):
    """One use of a resource by a function.

    The resource is of one of these kinds: a table, an index, a queue, a kind of stored secret (``key``), the bucket of
    large answers, a secret setting, or another function.

    - ``name``: the resource's name without the deployment's prefix.
    - ``action``: the IAM action, without the service.
    """

    kind: str
    name: str
    action: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function of the deployment.

    - ``name``: its name in app.py, or ``api_<group>`` for an endpoint group (``group``).
    - ``timeout``: its time limit in seconds.
    - ``concurrency``: its share of the account's concurrency, which is both reserved and the maximum.
    - ``queue``: the queue that it consumes; ``sends``: the queues that it sends to.
    - ``tables``: DynamoDB actions on each table; ``indexes``: the indexes that it queries.
    - ``decrypts`` and ``encrypts``: the kinds of stored secrets (``SECRETS``).
    - ``bucket``: S3 actions on the objects of the exports bucket.
    - ``secrets``: the variables of its secret settings.
    - ``invoke``: the functions that it may call, by their names in the template: the app's or the engine's
      (``infra/engine``).
    - ``mails``: SES actions.
    - ``twin``: the name of another function that does the same work.
    - ``methods``: the HTTP methods whose requests the function gets. If empty, it gets all methods that no other
      function of the group gets.
    """

    name: str
    concurrency: int
    memory_mb: int
    timeout: int
    group: str | None = None
    queue: str | None = None
    tables: Mapping[str, frozenset[str]] = field(default_factory=dict)
    indexes: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    decrypts: tuple[str, ...] = ()
    encrypts: tuple[str, ...] = ()
    bucket: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    invoke: tuple[str, ...] = ()
    mails: tuple[str, ...] = ()
    twin: str | None = None
    methods: tuple[str, ...] = ()

    @property
    def workspace_slots(self) -> int:
        """How many jobs of one workspace the function runs at once.

        The number is lower than the function's concurrency, so that other workspaces can run jobs too.
        """
        return max(2, self.concurrency * 3 // 10)

    @property
    def logical_id(self) -> str:
        """The function's logical id in the template."""
        return "".join(part.capitalize() for part in self.name.split("_"))

    @property
    def calls(self) -> frozenset[Call]:
        """All calls that the function may make."""
        return frozenset(
            {
                *(Call("table", table, action) for table, actions in self.tables.items() for action in actions),
                *(Call("index", index, "Query") for index in self.indexes),
                *(Call("queue", queue, "SendMessage") for queue in self.sends),
                *(Call("key", kind, "Decrypt") for kind in self.decrypts),
                *(Call("key", kind, "Encrypt") for kind in self.encrypts),
                *(Call("bucket", "exports", action) for action in self.bucket),
                *(Call("setting", secret, "read") for secret in self.secrets),
                *(Call("function", function, "Invoke") for function in self.invoke),
                *(Call("sesv2", "", action) for action in self.mails),
            }
        )

    @property
    def rights(self) -> str:
        """All rights of the function, each in words."""
        parts = [f"{table} ({', '.join(sorted(actions))})" for table, actions in sorted(self.tables.items())]
        parts += [f"index {index}" for index in self.indexes]
        parts += [f"take from {self.queue}"] if self.queue is not None else []
        parts += [f"send to {', '.join(self.sends)}"] if self.sends else []
        parts += [f"decrypt {', '.join(self.decrypts)}"] if self.decrypts else []
        parts += [f"encrypt {', '.join(self.encrypts)}"] if self.encrypts else []
        parts += [f"bucket ({', '.join(self.bucket)})"] if self.bucket else []
        parts += [f"read {', '.join(self.secrets)}"] if self.secrets else []
        parts += [f"call {', '.join(self.invoke)}"] if self.invoke else []
        parts += [f"mail ({', '.join(self.mails)})"] if self.mails else []
        return "; ".join(parts) or "nothing"


def kind_of(context: Iterable[tuple[str, str]]) -> str:
    """Return the kind of stored secret that has this encryption context.

    If no kind has this context, returns the context as text.
    """
    given = dict(context)
    for kind, (member, value) in SECRETS.items():
        if given.get(member) == value or (value == "*" and member in given):
            return kind
    return repr(given)


def group(
    name: str,
    *,
    memory_mb: int = 512,
    concurrency: int = 20,
    indexes: tuple[str, ...] = (),
    sends: tuple[str, ...] = (),
    decrypts: tuple[str, ...] = (),
    encrypts: tuple[str, ...] = (),
    bucket: tuple[str, ...] = (),
    secrets: tuple[str, ...] = (),
    keyed: bool = True,
    acts: bool = False,
    **tables: str,
) -> Function:
    """Make the function of an endpoint group.

    - ``keyed``: whether the function may count requests towards an API key's limit, and may read a website's record.
    - ``acts``: whether to make the group's second function, ``<name>_act``. That function gets the writes, so that slow
      reads cannot delay them.
    - ``tables``: the actions on each table, separated by spaces.
    """
    every = {"accounts": "UpdateItem", "sites": "GetItem"} if keyed else {}
    return Function(
        name=f"api_{name}_act" if acts else f"api_{name}",
        group=name,
        methods=WRITING if acts else (),
        memory_mb=memory_mb,
        timeout=API_TIMEOUT_SECONDS,
        concurrency=concurrency,
        indexes=indexes,
        sends=sends,
        decrypts=decrypts,
        encrypts=encrypts,
        bucket=bucket,
        secrets=secrets,
        tables=_actions(every, tables),
    )


def room(
    name: str,
    *,
    memory_mb: int,
    concurrency: int,
    acts: bool = False,
    indexes: tuple[str, ...] = (),
    sends: tuple[str, ...] = (),
    decrypts: tuple[str, ...] = (),
    encrypts: tuple[str, ...] = (),
    bucket: tuple[str, ...] = (),
    secrets: tuple[str, ...] = (),
    mails: tuple[str, ...] = (),
    **tables: str,
) -> Function:
    """Make the function of a part of the service outside the API, such as the app. It calls endpoints of all groups in
    its own process.

    - ``acts``: whether to make a second function, ``<name>_act``, which gets the POST requests.
    - ``tables``: the actions on each table, separated by spaces.
    """
    return Function(
        name=f"{name}_act" if acts else name,
        group=name,
        methods=WRITING if acts else (),
        memory_mb=memory_mb,
        timeout=API_TIMEOUT_SECONDS,
        concurrency=concurrency,
        indexes=indexes,
        sends=sends,
        decrypts=decrypts,
        encrypts=encrypts,
        bucket=bucket,
        secrets=secrets,
        mails=mails,
        tables=_actions(tables),
    )


def worker(
    name: str,
    *,
    memory_mb: int,
    timeout: int,
    concurrency: int,
    queue: str | None = None,
    indexes: tuple[str, ...] = (),
    sends: tuple[str, ...] = (),
    decrypts: tuple[str, ...] = (),
    encrypts: tuple[str, ...] = (),
    bucket: tuple[str, ...] = (),
    secrets: tuple[str, ...] = (),
    invoke: tuple[str, ...] = (),
    mails: tuple[str, ...] = (),
    twin: str | None = None,
    **tables: str,
) -> Function:
    """Make a function that works on a queue or a schedule, or that another function calls.

    ``tables``: the actions on each table, separated by spaces. Functions of queues and schedules may also read whether
    the workers are on hold. Functions of schedules may also write this state.
    """
    held = "GetItem" if queue is not None else "GetItem PutItem UpdateItem" if tables else ""
    return Function(
        name=name,
        memory_mb=memory_mb,
        timeout=timeout,
        concurrency=concurrency,
        queue=queue,
        indexes=indexes,
        sends=sends,
        decrypts=decrypts,
        encrypts=encrypts,
        bucket=bucket,
        secrets=secrets,
        invoke=invoke,
        mails=mails,
        twin=twin,
        tables=_actions({"ops": held} if held else {}, tables),
    )


def lanes(
    name: str, *, concurrency: int, slow: int, sends: tuple[str, ...], **rights: Any
) -> tuple[Function, Function]:
    """Make the functions of the two queues (lanes) for one kind of work: a fast and a slow one. Both do the same work.

    ``slow``: the concurrency of the slow queue. Work moves between the two queues, so each function may send to both.
    """
    every = tuple(sorted({*sends, name, f"{name}-slow"}))
    slow_name = f"{name}_slow"
    return (
        worker(name, concurrency=concurrency, queue=name, sends=every, twin=slow_name, **rights),
        worker(slow_name, concurrency=slow, queue=f"{name}-slow", sends=every, twin=name, **rights),
    )


def _actions(*given: Mapping[str, str]) -> dict[str, frozenset[str]]:
    tables = dict.fromkeys(table for part in given for table in part)
    return {table: frozenset(action for part in given for action in part.get(table, "").split()) for table in tables}
