"""Singer taps made for a test: small programs, run as the taps that they are."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

# what every tap does; `-S` spares it most of its start
_PRELUDE = """\
#!{python} -IS
import json, os, signal, sys, time

def given(option):
    if option in sys.argv:
        with open(sys.argv[sys.argv.index(option) + 1]) as file:
            return json.load(file)

config, state = given("--config"), given("--state")
catalog = given("--catalog") or given("--properties")

def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()

def say(type, **fields):
    write(json.dumps({{"type": type, **fields}}) + "\\n")

def schema(stream="things", keys=("id",), **more):
    say("SCHEMA", stream=stream, schema={{"type": "object"}}, key_properties=list(keys), **more)

def record(id, stream="things", **fields):
    say("RECORD", stream=stream, record={{"id": id, **fields}})

def stand(value):
    say("STATE", value=value)

if "--discover" in sys.argv:
    print(json.dumps({{"streams": {streams}}}))
    sys.exit()
"""

# gives the rows of a file, by time; remembers the last one, and says so after every thirty
_SHOP = """
rows = sorted(json.load(open(config["rows"])), key=lambda row: (row["updated_at"], row["id"]))
print("reading with", config["api_key"], file=sys.stderr)
bookmark = ((state or {}).get("bookmarks") or {}).get("things") or ["", 0]
schema("things")
for number, row in enumerate((row for row in rows if [row["updated_at"], row["id"]] > bookmark), 1):
    record(row["id"], **{name: row[name] for name in ("name", "updated_at")})
    bookmark = [row["updated_at"], row["id"]]
    if number % 30 == 0:
        stand({"bookmarks": {"things": bookmark}})
schema("shelves", ("row", "place"))
for row in range(4):
    for place in range(5):
        say("RECORD", stream="shelves", record={"row": row, "place": place})
stand({"bookmarks": {"things": bookmark}})
"""


def stream(name: str, method: str | None = None) -> dict[str, Any]:
    """A stream as discovery tells of it."""
    metadata = {"inclusion": "available"} | ({"replication-method": method} if method else {})
    return {
        "tap_stream_id": name,
        "stream": name,
        "schema": {"type": "object", "properties": {"id": {"type": "integer"}}},
        "metadata": [{"breadcrumb": [], "metadata": metadata}],
    }


def make_tap(path: Path, body: str, streams: list[dict[str, Any]] | None = None) -> Path:
    """An executable that does what the body says, unless it is asked for its streams."""
    offered = json.loads(json.dumps([stream("things")] if streams is None else streams))
    path.write_text(_PRELUDE.format(python=sys.executable, streams=repr(offered)) + dedent(body))
    path.chmod(0o755)
    return path


@dataclass
class Shop:
    """A source that changes, with a tap that reads it: `things` since the last time, `shelves` as a whole."""

    place: Path
    count: int = 150

    def __post_init__(self) -> None:
        self.place.mkdir()
        self.rows = {
            number: {"id": number, "name": f"thing {number}", "updated_at": "2026-01-01T00:00:00Z"}
            for number in range(self.count)
        }
        self.tap = make_tap(self.place / "tap-shop", _SHOP, [stream("things"), stream("shelves", "FULL_TABLE")])
        self._write()

    @property
    def config(self) -> dict[str, Any]:
        return {"rows": str(self.place / "rows.json")}

    def change(self, number: int, name: str) -> None:
        self.rows[number] = {"id": number, "name": name, "updated_at": "2026-02-01T00:00:00Z"}
        self._write()

    def delete(self, number: int) -> None:
        del self.rows[number]
        self._write()

    def _write(self) -> None:
        (self.place / "rows.json").write_text(json.dumps(list(self.rows.values())))
