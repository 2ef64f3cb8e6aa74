"""A Singer tap for the demo: what a workshop has. Two of its lines are wrong, as it happens in life."""

import json
import sys

KINDS = ("camera", "lens", "tripod", "microphone", "lamp")
FIELDS = {
    "id": {"type": "string"},
    "name": {"type": "string"},
    "kind": {"type": "string"},
    "shelf": {"type": "integer"},
}
SCHEMA = {"type": "object", "properties": FIELDS}
CATALOG = {
    "streams": [
        {
            "stream": "things",
            "tap_stream_id": "things",
            "schema": SCHEMA,
            "key_properties": ["id"],
            "metadata": [
                {"breadcrumb": [], "metadata": {"selected": True, "forced-replication-method": "FULL_TABLE"}},
            ],
        }
    ]
}


def say(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")


def main() -> None:
    if "--discover" in sys.argv:
        say(CATALOG)
        return
    say({"type": "SCHEMA", "stream": "things", "schema": SCHEMA, "key_properties": ["id"]})
    for number in range(1, 41):
        kind = KINDS[number % len(KINDS)]
        thing = {"id": f"T-{number:03}", "name": f"{kind.title()} no. {number}", "kind": kind, "shelf": number % 7}
        if number == 13:
            del thing["id"]  # somebody has forgotten to number it
        say({"type": "RECORD", "stream": "things", "record": thing})
        if number == 29:
            sys.stdout.write(
                '{"type": "RECORD", "stream": "things", "record": {"id": "T-0\n'
            )  # and here a line is torn
    say({"type": "STATE", "value": {"things": 40}})


main()
