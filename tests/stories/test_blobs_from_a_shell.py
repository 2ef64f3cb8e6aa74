"""Content of items, as a person brings it from a shell; and what is left when the server is killed in the middle."""

import hashlib
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import httpx2
import psycopg
import pytest
from tests.integration.blobs.items import put_item
from tests.stories.conftest import PATIENCE, WINDROW, Machine, Up

from windrow.stack import discover

SERVER = Path(__file__).with_name("blob_server_process.py")
BYTES = bytes(range(256)) * 5_000


@pytest.fixture
def item(running: Up) -> UUID:
    found = discover(running.machine.home)
    assert found
    assert found.database_url
    return put_item(found.database_url, "local", project="default")


def test_a_file_is_uploaded_listed_shown_and_downloaded(running: Up, item: UUID, tmp_path: Path) -> None:
    machine = running.machine
    (tmp_path / "film.mp4").write_bytes(BYTES)

    done = machine.answer("blobs", "upload", str(item), str(tmp_path / "film.mp4"))

    assert (done["state"], done["size"], done["media_type"]) == ("linked", len(BYTES), "video/mp4")
    assert done["sha256"] == hashlib.sha256(BYTES).hexdigest()
    assert done["blob_id"] in [blob["blob_id"] for blob in machine.answer("blobs", "list", str(item))]
    assert machine.answer("blobs", "show", done["blob_id"])["name"] == "film.mp4"
    machine.answer("blobs", "download", done["blob_id"], str(tmp_path / "again.mp4"))
    assert (tmp_path / "again.mp4").read_bytes() == BYTES
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.mp4", "film.mp4"]


def test_an_item_may_be_named_as_its_source_names_it(running: Up, item: UUID, tmp_path: Path) -> None:
    (tmp_path / "note").write_text("hello")

    done = running.machine.answer("blobs", "upload", "a.txt", str(tmp_path / "note"), "--endpoint", "repo")

    assert done["item_id"] == str(item)


def test_what_cannot_be_done_is_told_with_the_next_step(running: Up, item: UUID, tmp_path: Path) -> None:
    nowhere = "00000000-0000-0000-0000-000000000000"
    (tmp_path / "there").write_text("x")
    for words, code in (
        (("blobs", "upload", str(item), str(tmp_path / "not there")), 2),
        (("blobs", "show", "../../health"), 2),
        (("blobs", "download", nowhere, str(tmp_path / "there")), 3),
        (("blobs", "download", nowhere, str(tmp_path / "new")), 2),
    ):
        done = running.machine.run(*words)
        assert done.returncode == code, (words, done.stderr)
        assert "next:" in done.stderr, words
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_the_token_is_in_no_log_and_no_process_list(running: Up) -> None:
    token = (running.machine.home / "token").read_text().strip()

    assert running.machine.answer("blobs", "list")

    log = (running.machine.home.parent / "up.log").read_text()
    assert "request.answered" in log
    assert token not in log
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            assert token.encode() not in process.read_bytes()
        except OSError:
            continue


def test_it_answers_where_up_says(running: Up) -> None:
    answered = httpx2.get(f"{running.addresses['http']}/ready", trust_env=False, timeout=PATIENCE)

    assert (answered.status_code, answered.json()) == (200, {"status": "ready"})


def test_without_a_server_the_next_step_is_told(machine: Machine) -> None:
    done = machine.run("blobs", "list")

    assert done.returncode == 4
    assert "windrow up" in done.stderr


def test_serve_serves_beside_up_and_ends_cleanly(running: Up, item: UUID) -> None:
    with subprocess.Popen(
        [*WINDROW, "serve", "--json"],
        env=running.machine.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as serve:
        assert serve.stdout
        url = json.loads(serve.stdout.readline())["http"]
        token = (running.machine.home / "token").read_text().strip()
        asked = {"authorization": f"Bearer {token}"}
        listed = httpx2.get(f"{url}/v1/blobs", headers=asked, trust_env=False, timeout=PATIENCE)
        serve.send_signal(signal.SIGTERM)
        _, said = serve.communicate(timeout=PATIENCE)

    assert listed.status_code == 200
    assert serve.returncode == 0, said


@pytest.mark.parametrize(
    ("setting", "value", "code"), [("HTTP_HOST", "0.0.0.0", "CONFIGURATION"), ("HTTP_PORT", "taken", "PORT_TAKEN")]
)
def test_serve_refuses_what_it_must_not_listen_to(running: Up, setting: str, value: str, code: str) -> None:
    taken = running.addresses["http"].rpartition(":")[2]
    environment = running.machine.environment | {f"WINDROW_{setting}": value.replace("taken", taken)}

    done = subprocess.run(
        [*WINDROW, "serve", "--json"], env=environment, capture_output=True, text=True, timeout=PATIENCE
    )

    assert done.returncode == 5
    assert json.loads(done.stderr.splitlines()[-1])["code"] == code


@contextmanager
def server(home: Path, database_url: str, moment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    command = [sys.executable, str(SERVER), str(home), database_url, moment]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout
        try:
            yield f"http://{process.stdout.readline().strip()}", process
        finally:
            process.kill()


@pytest.mark.req("HV-41")
@pytest.mark.parametrize(("moment", "left"), [("before-the-row", "requested"), ("before-the-link", "uploaded")])
def test_a_server_killed_between_upload_and_link_loses_nothing(
    database_url: str, tmp_path: Path, moment: str, left: str
) -> None:
    item = put_item(database_url, "acme")
    with server(tmp_path, database_url, moment) as (url, process):
        api = client_of(url, tmp_path)
        wanted = {"item": str(item), "media_type": "text/plain", "sha256": hashlib.sha256(BYTES).hexdigest()}
        ticket = api.post("/v1/blobs", json=wanted).json()
        with pytest.raises(httpx2.TransportError):
            api.put(ticket["upload"]["url"], content=BYTES)
        api.close()
        assert process.wait(timeout=PATIENCE) == -signal.SIGKILL

    with server(tmp_path, database_url, "never") as (url, _):
        api = client_of(url, tmp_path)
        assert api.get(f"/v1/blobs/{ticket['blob_id']}").json()["state"] == left
        for _ in range(2):
            assert api.post(ticket["complete"]).json()["state"] == "linked"
        fetch = api.post(f"/v1/blobs/{ticket['blob_id']}/download").json()["download"]
        assert api.get(fetch["url"]).content == BYTES
        api.close()

    assert announcements(database_url) == 1


def client_of(url: str, home: Path) -> httpx2.Client:
    token = (home / "token").read_text().strip()
    return httpx2.Client(base_url=url, headers={"authorization": f"Bearer {token}"}, trust_env=False, timeout=PATIENCE)


def announcements(database_url: str) -> int:
    with psycopg.connect(database_url) as connection:
        connection.execute("SET ROLE windrow_app")
        connection.execute("SELECT set_config('windrow.tenant_id', 'acme', false)")
        found = connection.execute("SELECT count(*) FROM windrow.messages WHERE topic = 'catalog.blobs'").fetchone()
    assert found
    return int(found[0])
