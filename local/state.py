"""The state that the local service stores across runs (``STATE=folder``): rows, the clock's offset, secrets.

Every half second it writes a consistent snapshot of changed items in one SQLite transaction. If the process is killed,
at most the changes since the last complete snapshot are lost. Of a transaction, either all changes are stored or none.
Messages are not stored: the sweepers find overdue work in the rows and send its messages again.
"""

import fcntl
import logging
import os
import secrets
import sqlite3
import threading
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import orjson
from moto.dynamodb.models.dynamo_type import DynamoType, Item

from chalicelib import clock
from chalicelib.store import key_file
from local import embedded, moto_tables
from local.locking import LOCK

FLUSH_SECONDS = 0.5
ROWS_AT_ONCE = 500  # a SQLite statement can have 32,766 values
SECRET_BYTES = 32

log = logging.getLogger(__name__)


class StateInUse(Exception):
    """Raised if another local service uses this folder."""


class State:
    """A folder with ``rows.sqlite``, the secrets, and a lock against a second service."""

    def __init__(self, folder: Path) -> None:
        """Raises ``StateInUse``, and ``OSError`` if the folder cannot be written to."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder = folder
        self._lock_file = (folder / "lock").open("w")
        try:
            fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock_file.close()
            raise StateInUse(f"the folder {folder} is in use by another service") from None
        database = folder / "rows.sqlite"
        database.touch(mode=0o600)
        self._rows = sqlite3.connect(database, check_same_thread=False)
        self._rows.execute("PRAGMA journal_mode=WAL")
        self._rows.execute("PRAGMA synchronous=NORMAL")
        self._rows.execute(
            "CREATE TABLE IF NOT EXISTS items (tbl TEXT, pk TEXT, sk TEXT, item BLOB, PRIMARY KEY (tbl, pk, sk))"
            " WITHOUT ROWID"
        )
        self._rows.execute("CREATE TABLE IF NOT EXISTS clock (id INTEGER PRIMARY KEY, offset REAL)")
        self._rows.commit()
        self._changed: dict[moto_tables.Key, Item | None] = {}
        self._saved_offset: float | None = None
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._unlisten: Any = None

    def secret(self, name: str) -> str:
        """Return the secret of that name.

        The first call makes it: 32 random bytes in hexadecimal, readable only by the user.
        """
        path = self.folder / f"{name}.secret"
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return path.read_text(encoding="ascii").strip()
        value = secrets.token_hex(SECRET_BYTES)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(value + "\n")
        return value

    def exposed(self) -> list[str]:
        """Return the files of this folder that other users of the machine may read or write, each with its file
        mode."""
        return key_file.exposed_in(self.folder)

    def restore(self) -> int:
        """Set the clock, and load the stored rows into the embedded tables. Returns the number of rows."""
        offset = self._rows.execute("SELECT offset FROM clock").fetchone()
        if offset is not None:
            self._saved_offset = offset[0]
            clock.set_offset(offset[0])
        count = 0
        now = clock.now()
        with LOCK:
            tables = embedded.tables().tables
            for name, pk, sk, content in self._rows.execute("SELECT tbl, pk, sk, item FROM items"):
                table = tables.get(name)
                attributes = orjson.loads(content)
                if _expired(attributes, now):
                    self._changed[name, pk, sk] = None
                    continue
                if table is None:
                    continue
                keys = [DynamoType(attributes[key]) for key in table.table_key_attrs]
                range_key = keys[1] if len(keys) > 1 else None
                moto_tables.store(table, keys[0], range_key, Item(keys[0], range_key, attributes))
                count += 1
        return count

    def start(self) -> None:
        """Begin to store every change."""
        self._unlisten = moto_tables.listen(self._note)
        self._thread = threading.Thread(target=self._run, name="state", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Write the last changes and unlock the folder. A second call does nothing."""
        if self._lock_file.closed:
            return
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        if self._unlisten is not None:
            with LOCK:
                self._unlisten()
        self.flush()
        self._rows.close()
        self._lock_file.close()

    def flush(self) -> int:
        """Write the items that changed since the last flush. Returns how many items it wrote."""
        with LOCK:
            changed, self._changed = self._changed, {}
        offset = clock.offset()
        if not changed and offset == (self._saved_offset or 0.0):
            return 0
        kept = [
            (table, pk, sk or "", orjson.dumps(item.attrs, default=embedded.json_default))
            for (table, pk, sk), item in changed.items()
            if item is not None
        ]
        gone = [(table, pk, sk or "") for (table, pk, sk), item in changed.items() if item is None]
        try:
            with self._rows:
                self._each("INSERT OR REPLACE INTO items VALUES {}", kept)
                self._each("DELETE FROM items WHERE (tbl, pk, sk) IN (VALUES {})", gone)
                self._rows.execute("INSERT OR REPLACE INTO clock VALUES (1, ?)", (offset,))
        except sqlite3.Error:
            with LOCK:
                self._changed = changed | self._changed
            raise
        self._saved_offset = offset
        return len(changed)

    def _each(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement with the values of many rows at a time.

        After each statement, a busy thread may hold the interpreter for five milliseconds. With one statement per row,
        writing would be slower than the changes.
        """
        for start in range(0, len(rows), ROWS_AT_ONCE):
            batch = rows[start : start + ROWS_AT_ONCE]
            places = ", ".join([f"({', '.join('?' * len(batch[0]))})"] * len(batch))
            self._rows.execute(statement.format(places), list(chain.from_iterable(batch)))

    def _note(self, key: moto_tables.Key, item: Item | None) -> None:
        self._changed[key] = item

    def _run(self) -> None:
        while not self._stopping.wait(FLUSH_SECONDS):
            try:
                self.flush()
            except sqlite3.Error as error:
                log.error("the state could not be written to %s; it will be tried again: %s", self.folder, error)


def _expired(attributes: dict[str, Any], now: float) -> bool:
    ttl = attributes.get("ttl", {}).get("N")
    return ttl is not None and float(ttl) <= now
