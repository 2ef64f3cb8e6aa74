"""How a command runs: settings are read, the work is awaited, an error is told in one line with the next step.

Exit codes: 0 done · 1 a check failed or something unexpected · 2 the input is wrong · 3 somebody else was first
· 4 something is away, try again · 5 a person must act · 130 interrupted.
"""

import asyncio
import functools
import json
import signal
import sys
import traceback
import uuid
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, ParamSpec, TypeVar

import typer
from rich.console import Console

from windrow.contracts.errors import Conflict, Fatal, RetryableTransient, ValidationFailure, WindrowError, classify
from windrow.contracts.scope import Actor, Scope
from windrow.settings import Settings, read
from windrow.telemetry import bound, log, redact
from windrow.telemetry.declare import Level

P = ParamSpec("P")
R = TypeVar("R")

EXIT_CODES: dict[type[WindrowError], int] = {ValidationFailure: 2, Conflict: 3, RetryableTransient: 4, Fatal: 5}
INTERRUPTED = 130

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
Tenant = Annotated[str | None, typer.Option("--tenant", help="The tenant to act for (WINDROW_TENANT).", metavar="NAME")]
Project = Annotated[
    str | None, typer.Option("--project", help="The project to act in (WINDROW_PROJECT).", metavar="NAME")
]
Reason = Annotated[str | None, typer.Option(help="Why, for the audit trail.")]
LaneName = Annotated[str, typer.Option("--lane", help="live, events or backfill:<id>.")]


def command(function: Callable[P, Coroutine[Any, Any, R]]) -> Callable[P, R]:
    """Make an async function a command. Its `json` parameter also decides how an error is told."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        as_json = bool(kwargs.get("json"))
        try:
            settings = read()
            log.configure(format=settings.log_format, level=settings.log_level or Level.ERROR)
            with bound(agent="meta-api", directive=f"cli.{function.__name__}", correlation_id=uuid.uuid4().hex):
                return asyncio.run(function(*args, **kwargs))
        except WindrowError as error:
            tell(error, as_json)
            raise SystemExit(exit_code(error)) from None
        except KeyboardInterrupt:
            raise SystemExit(INTERRUPTED) from None
        except BrokenPipeError:
            raise SystemExit(0) from None
        except OSError as error:
            # a file, a disk, a directory of the user's: what the system says of it is what there is to say
            found = classify(error)
            tell(found, as_json)
            raise SystemExit(exit_code(found)) from None
        except Exception as error:
            tell_unexpected(error, as_json)
            raise SystemExit(1) from None

    return run


def exit_code(error: WindrowError) -> int:
    """The number by which a script tells the classes of the error family apart."""
    return next(code for kind, code in EXIT_CODES.items() if isinstance(error, kind))


def tell(error: WindrowError, as_json: bool) -> None:
    """One line that says what is wrong, one that says what to do; or both as problem details."""
    if as_json:
        problem = {
            "type": "about:blank",
            "title": error.error_class,
            "code": error.code,
            "detail": redact(error.message),
            "hint": error.hint,
        }
        print(json.dumps(problem), file=sys.stderr)  # noqa: T201
        return
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print("[bold red]error:[/]", end=" ")
    console.print(" ".join(redact(error.message).split()), markup=False)
    if error.hint:
        console.print("[bold] next:[/]", end=" ")
        console.print(error.hint, markup=False)


def tell_unexpected(error: Exception, as_json: bool) -> None:
    """A fault of ours: say so in a line; the traceback only for those who ask."""
    ours = classify(error)
    ours.hint = "this is a fault of Windrow's: run it again with WINDROW_DEBUG=1 and report what it prints"
    tell(ours, as_json)
    if read().debug:
        print(redact("".join(traceback.format_exception(error))), file=sys.stderr)  # noqa: T201


def standard_input(most: int = -1) -> bytes:
    """What is piped in, or typed; so many bytes at the most. Ctrl-C ends it: the loop's own handler would wait for the end of it."""
    loops_own = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return sys.stdin.buffer.read(most)
    finally:
        signal.signal(signal.SIGINT, loops_own)


def scope(settings: Settings, tenant: str | None, project: str | None) -> Scope:
    """Whom the command acts for."""
    return Scope(tenant or settings.tenant, project or settings.project)


def operator() -> Actor:
    """Who acts, when it is a person at a shell."""
    import getpass

    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as in some containers
        name = "unknown"
    return Actor(f"cli:{name}", "shell of this machine")
