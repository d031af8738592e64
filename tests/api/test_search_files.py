"""A file that is too large for an answer, fetched from where the answer sends its reader."""

import csv
import io
import shutil
import subprocess

import pytest

from app import app
from chalicelib.domain.search.periods import Period
from chalicelib.http.endpoints import BASE_PATH
from host.server import ApiServer
from local import embedded
from tests import stored_search
from tests.api.client import Client, send
from tests.api.conftest import House
from tests.api.test_search import LAST
from tests.domain.search.naive import Told

ROWS = 12_000
BYTES = 12_000_000


@pytest.fixture
def large(house: House, bucket: embedded.Endpoint) -> str:
    """The path of rows that are about 12 MB as a file."""
    stored_search.connect(house.site)
    rows = {LAST: [Told(f"{number:05d} " + "größe " * 140, 1, 2, 3.0) for number in range(ROWS)]}
    stored_search.put_rows(house.site, "query", rows, Period(LAST, LAST))
    return f"/sites/{house.site.id}/search/rows?from={LAST}&to={LAST}"


def test_a_csv_of_12_mb_is_downloaded_by_redirect_and_equals_the_paged_list(
    house: House, api: Client, large: str
) -> None:
    curl = shutil.which("curl")
    assert curl is not None
    received = api.get(f"{large}&format=csv")
    assert received.status == 303 and received.text == "" and received.headers["cache-control"] == "private, no-store"
    assert api.request("HEAD", f"{large}&format=csv").status == 303
    server = ApiServer(app, 0)
    try:
        address = f"{server.url}{BASE_PATH}{large}&format=csv"
        command = [curl, "-sS", "-L", "--fail", "-H", f"Authorization: Bearer {house.key}", address]
        done = subprocess.run(command, capture_output=True, check=True, timeout=120)
    finally:
        server.stop()
    assert len(done.stdout) > BYTES
    file = list(csv.DictReader(io.StringIO(done.stdout.decode(), newline="")))
    walk, cursor = [], ""
    while True:
        # Unchecked: a check of 12 MB against the description takes half a minute.
        body = send("GET", f"{BASE_PATH}{large}&limit=10000{cursor}", {"Authorization": f"Bearer {house.key}"}).json
        walk += body["rows"]
        if body["nextCursor"] is None:
            break
        cursor = f"&cursor={body['nextCursor']}"
    assert len(walk) == ROWS
    assert [{name: str(value) for name, value in row.items()} for row in walk] == file
