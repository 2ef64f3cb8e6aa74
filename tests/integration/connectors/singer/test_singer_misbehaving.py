"""Taps that misbehave: none of them costs more than its own records, and nothing of them is left."""

import asyncio
import os
import resource
from pathlib import Path

import pytest
from tests.integration.connectors.singer.reading import Reader, things

from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure
from windrow.telemetry.redaction import REDACTED


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path, selection="none")


AMONG_OTHERS = """
    schema()
    record(1)
    {odd}
    record(2)
"""


@pytest.mark.req("HV-44")
@pytest.mark.parametrize(
    ("odd", "refused"),
    [
        ('write("Fetching page 1 of 7\\n")', "a line that is not JSON"),
        ('write("[1, 2]\\n")', "a line that is no JSON object"),
        ('write(json.dumps({"stream": "things"}) + "\\n")', "a message without a type"),
        ('write("[" * 100_000 + "\\n")', "a line that is not JSON"),
        ('sys.stdout.buffer.write(b"\\xff\\xfe\\n"); sys.stdout.flush()', "a line that is not JSON"),
        ('say("STATE", value="yesterday")', "a message without what it needs: an object is due"),
        ('say("RECORD", stream="things")', "a message without what it needs: 'record'"),
        ('say("SCHEMA", stream="things", schema={}, key_properties=7)', "a message without what it needs"),
    ],
)
async def test_a_bad_message_is_refused_and_costs_no_other(reader: Reader, odd: str, refused: str) -> None:
    reader.tap(AMONG_OTHERS.format(odd=odd))

    pages = await reader.pages()

    assert reader.ids(pages) == things(1, 2)
    (reason,) = reader.refusals(pages)
    assert reason.startswith(f"the tap gave {refused}")


async def test_a_record_before_its_schema_or_without_its_key_is_refused(reader: Reader) -> None:
    reader.tap("record(1)\nschema()\nrecord(None)\nrecord(2)")

    pages = await reader.pages()

    assert reader.ids(pages) == things(2)
    assert reader.refusals(pages) == [
        "a record of the stream 'things' came before its SCHEMA",
        "a record of 'things' has no 'id', which is to name it",
    ]


async def test_half_a_line_at_the_end_is_refused(reader: Reader) -> None:
    reader.tap('schema()\nrecord(1)\nwrite(\'{"type": "RECORD", "str\')')

    pages = await reader.pages()

    assert reader.ids(pages) == things(1)
    assert reader.refusals(pages) == ["the tap gave a line that is not JSON"]
    assert pages[-1].last


async def test_a_line_of_a_hundred_megabytes_is_refused_and_never_held(reader: Reader) -> None:
    reader.tap(AMONG_OTHERS.format(odd='[write("x" * 1_000_000) for _ in range(100)]; write("\\n")'))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    pages = await reader.pages()

    assert reader.ids(pages) == things(1, 2)
    assert reader.refusals(pages) == ["the tap gave a message of 100000000 bytes"]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40 * 1024


async def test_messages_of_unknown_types_are_passed_over_and_told_once(reader: Reader) -> None:
    reader.tap(AMONG_OTHERS.format(odd="say('TRACE', trace={}); say('TRACE'); say('ACTIVATE_VERSION', version=1)"))
    reader.config = {"relist_hours": 0}

    pages = await reader.pages()

    assert (reader.ids(pages), reader.refusals(pages)) == (things(1, 2), [])
    assert [each["position"] for each in reader.heard("connector.skipped")] == ["message 'TRACE'"]
    assert not pages[-1].whole


async def test_records_in_files_are_refused_as_a_whole(reader: Reader) -> None:
    reader.tap("schema()\nsay('BATCH', stream='things', encoding={}, manifest=['file:///etc/passwd'])")

    with pytest.raises(ValidationFailure, match="in files of its own"):
        await reader.pages()


async def test_times_beyond_the_calendar_are_left_out(reader: Reader) -> None:
    reader.tap(
        "schema()\nrecord(1, updated_at='0000-00-00T00:00:00Z')\nrecord(2, updated_at='0001-01-01T00:00:00+05:00')"
    )

    (turned,) = reader.turned(await reader.pages())

    assert [item.source_updated_at for item in turned.items] == [None, None]  # type: ignore[union-attr]


async def test_a_secret_is_in_no_log_line_refusal_error_or_cursor(reader: Reader) -> None:
    secret = reader.secret = "canary-7c1f0e55"
    reader.config = {"fill": ["auth.api_key"]}
    reader.tap(
        """
        key = config["auth"]["api_key"]
        print("GET /?key=" + key, file=sys.stderr)
        print("x" * 70_000 + key, file=sys.stderr)
        schema()
        record(1)
        write("DEBUG " + key + "\\n")
        print("failed with " + key, file=sys.stderr)
        sys.exit(1)
        """
    )

    pages, error = await reader.until_it_fails()

    assert secret not in repr((pages, reader.said, str(error), reader.turned(pages)))
    assert [each["line"] for each in reader.heard("tap.said")] == [
        f"GET /?key={REDACTED}",
        "(a line of 70015 bytes, not shown)",
        f"failed with {REDACTED}",
    ]


async def test_a_state_that_holds_the_credential_is_refused(reader: Reader) -> None:
    reader.secret = "canary-1d83aa02"
    reader.config = {"fill": ["key"]}
    reader.tap("schema()\nrecord(1)\nstand({'session': config['key']})")

    with pytest.raises(ValidationFailure, match="holds the credential") as refused:
        await reader.pages()

    assert reader.secret not in str(refused.value)


async def test_the_credential_is_on_no_disk_command_line_or_environment(reader: Reader) -> None:
    reader.secret = "canary-5ae0c911"
    reader.config = {"fill": ["key"], "tap_config": {"told": str(reader.place / "told")}}
    reader.tap(
        """
        with open("/proc/self/cmdline") as line, open("/proc/self/environ") as environment, open(config["told"], "w") as told:
            config_file = sys.argv[sys.argv.index("--config") + 1]
            told.write(line.read() + environment.read() + os.path.realpath(config_file) + str(os.listdir(".")))
        schema()
        record(1, key_is_known=bool(config["key"]))
        """
    )

    pages = await reader.pages()

    assert pages[0].records[0]["record"]["key_is_known"]
    told = (reader.place / "told").read_text()
    assert reader.secret not in told
    assert "/memfd:windrow (deleted)" in told
    assert told.endswith("[]")


async def test_a_tap_that_eats_memory_meets_its_limit(reader: Reader) -> None:
    reader.tap("schema()\nrecord(1)\nhoard = []\nwhile True: hoard.append(bytearray(4_000_000))")
    reader.memory = 128 << 20

    (page,), error = await reader.until_it_fails()

    assert reader.ids([page]) == things(1)
    assert isinstance(error, ValidationFailure)
    assert "needs more than the 128 MiB of memory" in error.message


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "was killed by SIGSEGV"),
        ("os.kill(os.getppid(), signal.SIGKILL); time.sleep(60)", "was ended from outside"),
        ("sys.exit('no such account')", "failed with exit code 1: no such account"),
    ],
)
async def test_a_crash_is_told_by_how_it_came(reader: Reader, body: str, says: str) -> None:
    reader.tap(body)

    with pytest.raises(RetryableTransient, match=says) as told:
        await reader.pages()

    assert told.value.code is Code.UNAVAILABLE


async def test_a_tap_that_cannot_be_run_is_told(reader: Reader) -> None:
    reader.tap("")
    assert reader.executable
    reader.executable.write_text("#!/nowhere/python\n")

    with pytest.raises(Fatal, match="cannot be run"):
        await reader.pages()
    reader.executable.chmod(0o644)
    with pytest.raises(Fatal, match="there is no executable"):
        await reader.connector().prepare()


async def test_a_tap_that_is_silent_or_never_ends_is_given_up(reader: Reader) -> None:
    reader.tap("signal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('waiting', file=sys.stderr)\ntime.sleep(60)")
    reader.limit(silence_seconds=5)

    with pytest.raises(RetryableTransient, match=r"gave nothing for 5 s; it said last: waiting") as told:
        await reader.pages()

    assert told.value.code is Code.TIMEOUT


async def test_a_tap_waits_while_nobody_asks(reader: Reader) -> None:
    reader.tap(
        """
        schema()
        number = 0
        while True:
            number += 1
            with open(config["told"], "a") as file:
                file.write("!")
            record(number, text="x" * 1000)
        """
    )
    told = reader.place / "told"
    reader.config = {"tap_config": {"told": str(told)}}

    pages = await reader.pages(most=3)

    assert reader.ids(pages) == things(*range(1, 151))
    assert told.stat().st_size < 1000


# leaves its session and its parents, ignores what it can, and holds a line for as long as it lives
FORKING = """
    held = os.open(config["lifeline"], os.O_WRONLY)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(held, b"!")
            time.sleep(120)
        os._exit(0)
    os.wait()
    schema()
    record(1)
    {then}
"""


@pytest.fixture
def lifeline(tmp_path: Path) -> Path:
    """A pipe that is open for as long as anybody is alive who holds it."""
    os.mkfifo(tmp_path / "lifeline")
    return tmp_path / "lifeline"


def follow(lifeline: Path) -> bytes:
    """What is written on the line, once everybody who held it is dead."""
    with lifeline.open("rb") as line:
        return line.read()


@pytest.mark.parametrize("then", ["time.sleep(120)", "sys.exit()"])
async def test_nothing_that_a_tap_has_started_is_left(reader: Reader, lifeline: Path, then: str) -> None:
    reader.tap(FORKING.format(then=then))
    reader.config = {"tap_config": {"lifeline": str(lifeline)}}
    reader.limit(page_seconds=0.3)
    followed = asyncio.create_task(asyncio.to_thread(follow, lifeline))

    pages = await reader.pages(most=1)

    assert reader.ids(pages) == things(1)
    assert await asyncio.wait_for(followed, 60) == b"!"


async def test_a_cancelled_page_ends_the_tap(reader: Reader, lifeline: Path) -> None:
    reader.tap(FORKING.format(then="time.sleep(120)").replace("record(1)", ""))
    reader.config = {"tap_config": {"lifeline": str(lifeline)}}
    reading = asyncio.create_task(reader.pages())
    line = await asyncio.to_thread(os.open, lifeline, os.O_RDONLY)
    assert await asyncio.to_thread(os.read, line, 1) == b"!"

    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    assert await asyncio.wait_for(asyncio.to_thread(os.read, line, 1), 60) == b""
    os.close(line)


async def test_a_run_that_is_asked_to_end_leaves_a_silent_tap(reader: Reader) -> None:
    reader.tap("time.sleep(60)")
    reading = asyncio.create_task(reader.pages())
    reader.cancelled = True

    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(reading, 60)
