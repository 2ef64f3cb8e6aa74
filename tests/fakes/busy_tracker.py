"""The tracker of the docs on a busy day: people change things, and the API has its troubles."""

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from tests.conformance.pages_of_rest import config
from tests.fakes.bookish import Bookish, issue
from tests.fakes.vendor import Vendor

LIMITED = {"retry-after": "1"}


@dataclass
class BusyTracker(Bookish):
    """A `Source` of a season. A link may run out: it then answers 410."""

    connector: str = "rest"
    troubles: list[int] = field(default_factory=list)
    # links that were given out before this are known no more
    epoch: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.secret = self.credential = "tracker-key-0123456789abcdef"
        for number in range(12, 26):
            self._open(number)
            self.issues[f"P{number}"] = {each: issue(each, self.now) for each in range(number * 37 % 190)}

    @property
    def vendor(self) -> Vendor:
        return self

    @property
    def config(self) -> dict[str, Any]:
        return config("tracker", self)

    def change(self, drawn: random.Random) -> None:
        with self.lock:
            self.now = datetime.now(UTC)
            key = drawn.choice(list(self.projects))
            rows = self.issues[key]
            match drawn.choices(["edit", "new", "delete", "project", "archive", "drop"], [30, 20, 10, 4, 1, 1])[0]:
                case "edit" if rows:
                    row = rows[drawn.choice(list(rows))]
                    row |= {"title": f"Title {drawn.random()}", "votes": row["votes"] + 1}
                case "delete" if rows:
                    del rows[drawn.choice(list(rows))]
                case "archive":
                    self.projects[key]["archived"] = not self.projects[key]["archived"]
                case "project":
                    self._open(max(int(each[1:]) for each in self.projects) + 1)
                case "drop" if len(self.projects) > 5:
                    del self.projects[key], self.issues[key]
                case _:
                    number = max(rows, default=0) + 1
                    rows[number] = issue(number, self.now)

    def trouble(self, drawn: random.Random) -> None:
        with self.lock:
            kind = drawn.choice(["500", "503", "429", "expired"])
            if kind == "expired":
                self.epoch += 1
            else:
                self.troubles += [int(kind)] * drawn.randint(1, 4)

    def calm(self) -> None:
        with self.lock:
            self.troubles.clear()

    def truth(self) -> dict[str, dict[str, Any]]:
        with self.lock:
            there = {key: row for key, row in self.projects.items() if not row["archived"]}
            projects = {f"project:{key}": {"display_name": row["name"]} for key, row in there.items()}
            issues = {
                f"issue:{key}-{number}": {"display_name": row["title"].strip(), "attributes": {"votes": row["votes"]}}
                for key in there
                for number, row in self.issues[key].items()
            }
            return projects | issues

    def _open(self, number: int) -> None:
        key = f"P{number}"
        self.projects[key] = {"key": key, "name": f"Project {number}", "archived": False, "leads": []}
        self.issues[key] = {}

    def _linked(self, request: Request, rows: Any) -> Response:
        if self.troubles:
            return JSONResponse({"error": "trouble"}, status := self.troubles.pop(), LIMITED if status == 429 else None)
        given = request.query_params.get("epoch")
        if given is not None and int(given) < self.epoch:
            return JSONResponse({"error": "this link has expired"}, 410)
        answer = super()._linked(request, rows)
        if "link" in answer.headers:
            answer.headers["link"] = answer.headers["link"].replace("after=", f"epoch={self.epoch}&after=", 1)
        return answer

    def _issues(self, request: Request) -> Response:
        if request.path_params["key"] not in self.issues:
            return JSONResponse({"error": "no such project"}, 404)
        return super()._issues(request)
