"""Media jobs by the API: submitted, looked at with what is known of their media, steered."""

from datetime import timedelta
from typing import Any

from tests.integration.console.api.desk import Desk
from tests.integration.console.api.stock import COUNT, MARK, stocked

from windrow.media.announcing import Topics
from windrow.media.moving import Change, move
from windrow.media.rows import Wait, claim, get, put_off
from windrow.media.stage import Stage

TALK = {"url": "https://example.org/talk.mp4", "clip": {"start": 1, "end": 2.5}, "request_id": "order-7"}
WRONG: tuple[dict[str, Any], ...] = (
    {"url": "ftp://example.org/talk.mp4"},
    {"url": "https://anna:secret@example.org/talk.mp4"},
    {"clip": {"start": 2, "end": 1}},
    {"request_id": "a\nb"},
    {"type": ""},
)


async def test_a_medium_is_submitted_and_shown_as_it_was_asked_for(desk: Desk) -> None:
    key = {"idempotency-key": "talk-1"}

    made, again = [await desk.ask("POST", "/media-jobs", json=TALK, headers=key) for _ in range(2)]
    shown = await desk.get(made.headers["location"].removeprefix("/api/v1"))

    assert (made.status_code, again.json()) == (201, made.json())
    assert shown == made.json()
    assert (shown["stage"], shown["request_id"], shown["clip"]) == ("Queued", "order-7", {"start": 1.0, "end": 2.5})
    assert shown["media"] == {"type": "web", "url": TALK["url"]}
    assert (shown["metadata"], shown["error"], shown["next_try_at"]) == (None, None, None)


async def test_an_enriched_one_shows_what_is_known_of_its_medium(desk: Desk) -> None:
    stock = await stocked(desk.database)

    shown = await desk.get(f"/media-jobs/{stock.media_job_id}")
    events = (await desk.get(f"/media-jobs/{stock.media_job_id}/events"))["items"]

    known = shown["metadata"]
    assert (shown["title"], known["title"]) == (f"A talk about {MARK}",) * 2
    assert (known["duration_seconds"], known["keywords"], known["picture"]["width"]) == (12.5, ["meadow"], 640)
    assert known["speaker_hints"] == [{"name": "Ada", "role": "host", "source": "request"}]
    assert [each["event"] for each in events] == ["Queued", "MetadataReady"]
    assert events[1]["details"] == {"from": "Queued", "metadata_version": 1}


async def test_a_list_can_be_of_one_stage_or_of_one_kind_of_media(desk: Desk) -> None:
    stock = await stocked(desk.database)

    ready = (await desk.get("/media-jobs", stage="MetadataReady"))["items"]
    files = (await desk.get("/media-jobs", media_type="file"))["items"]
    videos = (await desk.get("/media-jobs", media_type="youtube"))["items"]

    assert [each["job_id"] for each in ready] == [stock.media_job_id]
    assert (len(files), videos) == (COUNT, [])
    assert "metadata" not in files[0]


async def test_one_is_cancelled_and_begun_anew_with_a_line_for_each(desk: Desk) -> None:
    stock = await stocked(desk.database)
    path = f"/media-jobs/{stock.media_job_id}"

    ended = await desk.ask("POST", f"{path}/cancel", json={"reason": "too long"})
    anew = await desk.ask("POST", f"{path}/retry", json={"reason": "after all"})
    late = await desk.ask("POST", f"{path}/retry", json={})
    lines = (await desk.get("/audit", subject=f"media/{stock.media_job_id}"))["items"]

    assert [ended.json()["stage"], anew.json()["stage"], late.status_code] == ["Cancelled", "Queued", 409]
    assert [(each["action"], each["reason"]) for each in lines] == [
        ("media.retry", "after all"),
        ("media.cancel", "too long"),
    ]


async def test_why_one_failed_is_shown_and_when_it_is_tried_again(desk: Desk) -> None:
    stock = await stocked(desk.database)
    error = {"tag": "MetadataEnrichmentError", "code": "TIMEOUT", "message": "it did not answer", "hint": "wait"}
    waiting = (await desk.get("/media-jobs", stage="Queued"))["items"][0]["job_id"]
    claimed = await claim(desk.database, "acme", waiting, timedelta(minutes=1))
    assert claimed
    async with desk.database.tenant("acme") as tx:
        await put_off(tx, claimed, Wait(delay=timedelta(hours=1)), error)
        await move(tx, Topics(), await get(tx, stock.media_job_id), Change(Stage.FAILED, error=error))

    shown = await desk.get(f"/media-jobs/{stock.media_job_id}")
    put_back = await desk.get(f"/media-jobs/{waiting}")
    events = (await desk.get(f"/media-jobs/{stock.media_job_id}/events"))["items"]

    assert (shown["stage"], shown["error"], shown["next_try_at"]) == ("Failed", error, None)
    assert (put_back["stage"], put_back["error"], put_back["attempts"]) == ("Queued", error, 1)
    assert put_back["next_try_at"] > put_back["updated_at"]
    assert events[-1]["details"]["error"] == error


async def test_what_could_be_no_medium_is_refused(desk: Desk) -> None:
    answers = [await desk.ask("POST", "/media-jobs", json=TALK | wrong) for wrong in WRONG]

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(422, "INVALID_VALUE")] * len(WRONG)
    assert "secret" not in str([answer.text for answer in answers])
    assert (await desk.get("/media-jobs"))["items"] == []
