"""`windrow schedule`: when endpoints are harvested by themselves, in an operator's hands."""

import uuid
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any

import typer

from windrow.app.compose import opened
from windrow.cli import show
from windrow.cli.frame import Json, Project, Tenant, command, operator, scope
from windrow.contracts.errors import ValidationFailure
from windrow.endpoints import Endpoint
from windrow.settings import Settings, read

schedule = typer.Typer(help="Schedules: pause, resume, move, or run now.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The endpoint.")]
STEPS = ("at", "state", "run_id", "reason", "next_retry_at")
Why = Annotated[str | None, typer.Option(help="Why, for the audit trail and for whoever looks.")]


@schedule.command("show")
@command
async def shown(name: Name, tenant: Tenant = None, project: Project = None, json: Json = False) -> None:
    """When it runs, what holds it back, where it stands, and how it came there."""
    from windrow.orchestration import controls
    from windrow.orchestration.scheduling import look

    settings = read()
    within = scope(settings, tenant, project)
    async with opened(settings) as app:
        found = await look(app.database, within, name)
        async with app.database.tenant(within.tenant_id) as tx:
            steps = await controls.steps(tx, within, name, limit=10)
    told = _told(found.endpoint, found.controls)
    if json:
        show.document(told | {"steps": [_step(step) for step in steps]})
        return
    show.pairs(told)
    show.table([asdict(step) for step in steps], STEPS, empty="It never ran.")
    if found.controls.halted_at:
        typer.echo(f"Mend the cause, try it with `windrow sync {name}`, then `windrow schedule resume {name}`.")


@schedule.command()
@command
async def pause(
    name: Name,
    reason: Annotated[str, typer.Option(help="Why, for the audit trail and for whoever looks.")],
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Nothing begins by itself any more; a run that is under way ends. It stays so through restarts."""
    from windrow.orchestration import scheduling

    settings = read()
    within = scope(settings, tenant, project)
    async with opened(settings) as app:
        await _finish(settings, await scheduling.pause(app.database, within, name, operator(), reason), json)


@schedule.command()
@command
async def resume(
    name: Name, reason: Why = None, tenant: Tenant = None, project: Project = None, json: Json = False
) -> None:
    """By its schedule again, whether an operator had paused it or a failure had halted it."""
    from windrow.orchestration import scheduling

    settings = read()
    within = scope(settings, tenant, project)
    async with opened(settings) as app:
        await _finish(settings, await scheduling.resume(app.database, within, name, operator(), reason), json)


@schedule.command()
@command
async def reschedule(
    name: Name,
    when: Annotated[
        str | None, typer.Argument(metavar="[WHEN]", help="A cron line of five fields, @hourly and the like, or 15m.")
    ] = None,
    never: Annotated[bool, typer.Option("--never", help="Take its schedule away.")] = False,
    time_zone: Annotated[
        str | None, typer.Option(help="In which zone a cron line is meant, such as Europe/Berlin.")
    ] = None,
    jitter: Annotated[str | None, typer.Option(help="How far its runs may be spread, such as 5m; at most 1h.")] = None,
    reason: Why = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Another time for future runs; one that is under way ends as it would have."""
    from windrow.orchestration import scheduling

    if never == bool(when) and not (time_zone or jitter):
        raise ValidationFailure("nothing to change", hint="give WHEN, or --never, or --time-zone, or --jitter")
    settings = read()
    within = scope(settings, tenant, project)
    async with opened(settings) as app:
        before = await scheduling.look(app.database, within, name)
        done = await scheduling.reschedule(
            app.database,
            within,
            name,
            operator(),
            schedule=None if never else when or before.endpoint.schedule,
            time_zone=time_zone,
            jitter=duration(jitter) if jitter else None,
            reason=reason,
        )
        await _finish(settings, done, json)


@schedule.command()
@command
async def trigger(
    name: Name,
    manual_trigger_id: Annotated[
        str | None, typer.Option("--id", help="The same id twice is one run; made up when not given.")
    ] = None,
    reason: Why = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """One run now, beside the schedule, also while that is paused. Does not wait for it: `windrow sync` does."""
    from windrow.app.orchestrating import HARVESTERS, connected
    from windrow.orchestration import scheduling, starting

    settings = read()
    within = scope(settings, tenant, project)
    async with opened(settings) as app:
        found = await scheduling.look(app.database, within, name)
        client = (await connected(settings, (HARVESTERS,))).harvesters
        begun = await starting.trigger(
            client, app.database, found.endpoint, manual_trigger_id or uuid.uuid4().hex, operator(), reason=reason
        )
    told = {"workflow": begun.workflow_id, "again": begun.again, "held_back": found.controls.held_back}
    if json:
        show.document(told)
        return
    show.pairs(told)
    if found.controls.held_back:
        typer.echo(f"{name} is {found.controls.held_back}; this one run goes all the same.", err=True)


async def _finish(settings: Settings, done: Any, json: bool) -> None:
    from windrow.app.orchestrating import HARVESTERS, connected
    from windrow.orchestration.scheduling import carry_out

    await carry_out((await connected(settings, (HARVESTERS,))).harvesters, done)
    (show.document if json else show.pairs)(_told(done.endpoint, done.controls))


def _told(endpoint: Endpoint, controls: Any) -> dict[str, Any]:
    return {
        "endpoint": endpoint.endpoint_id,
        "schedule": endpoint.schedule,
        "time_zone": controls.time_zone,
        "jitter": f"{controls.jitter_seconds}s" if controls.jitter_seconds else None,
        "held_back": controls.held_back,
    }


def _step(step: Any) -> dict[str, Any]:
    return {
        "at": step.at.isoformat(timespec="seconds"),
        "state": step.state,
        "run_id": step.run_id,
        "reason": step.reason,
        "error_class": step.error_class,
        "code": step.code,
        "next_retry_at": step.next_retry_at.isoformat(timespec="seconds") if step.next_retry_at else None,
    }


def duration(text: str) -> timedelta:
    """`90s`, `5m`, `1h`."""
    units = {"s": "seconds", "m": "minutes", "h": "hours"}
    if len(text) < 2 or text[-1] not in units or not text[:-1].isdecimal():
        raise ValidationFailure(f"{text[:20]!r} is no duration", hint="such as 90s, 5m, 1h")
    return timedelta(**{units[text[-1]]: int(text[:-1])})
