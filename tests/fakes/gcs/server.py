"""The routes of the API, tokens, and what a test may let go wrong."""

import base64
import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from tests.fakes.gcs.errors import error, no_object
from tests.fakes.gcs.reading import Cut, media
from tests.fakes.gcs.shelf import Shelf, refused
from tests.fakes.gcs.signed import account, is_signed
from tests.fakes.gcs.uploads import Uploads
from tests.fakes.vendor import Vendor

BUCKET = "windrow-bucket"
_OBJECT = re.compile(r"/(?:download/)?storage/v1/b/(?P<bucket>[^/]+)/o(?:/(?P<name>[^/]+))?(?P<rest>/.*)?")
_TARGET = re.compile(r"/(?P<verb>rewriteTo|copyTo)/b/(?P<bucket>[^/]+)/o/(?P<name>[^/]+)")
_FIELDS = re.compile(r"items\(([\w,]+)\),nextPageToken")


@dataclass
class FakeGcs(Vendor):
    """One bucket. `gcs.fails(503)` lets the next request fail, `gcs.loses()` does what is asked and says nothing."""

    shelf: Shelf = field(default_factory=Shelf, init=False)
    tokens: set[str] = field(default_factory=set, init=False)
    # whether whoever shows no token is let in
    is_public: bool = field(default=False, init=False)
    # how many bytes a single call copies
    stride: int = field(default=1 << 40, init=False)
    # after how many bytes the next media break off
    cut: int | None = field(default=None, init=False)
    failing: list[Response] = field(default_factory=list, init=False)
    losing: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.uploads = Uploads(BUCKET, self.shelf)

    def account(self) -> dict[str, Any]:
        """The key of a service account that may use the bucket."""
        return account(f"{self.base_url}/token")

    def fails(self, *statuses: int, **said: str) -> None:
        with self.lock:
            self.failing += [error(status, **said) for status in statuses]

    def loses(self, times: int = 1) -> None:
        """The answers to the next requests that change something do not arrive."""
        with self.lock:
            self.losing += times

    def asked(self, *methods: str) -> list[str]:
        """The requests so far, in short."""
        with self.lock:
            return [each.line for each in self.requests if each.path != "/token" and each.method in methods]

    def routes(self) -> Sequence[BaseRoute]:
        methods = ["GET", "POST", "PUT", "DELETE"]
        return (Route("/token", self._token, methods=["POST"]), Route("/{all:path}", self._all, methods=methods))

    async def _token(self, _request: Request) -> Response:
        token = f"ya29.{secrets.token_urlsafe(24)}"
        with self.lock:
            self.tokens.add(token)
        return JSONResponse({"access_token": token, "expires_in": 3599, "token_type": "Bearer"})

    async def _all(self, request: Request) -> Response:
        body = await request.body()
        with self.lock:
            if self.failing:
                return self.failing.pop(0)
            answer = self._answer(request, body)
            if self.losing and request.method != "GET" and answer.status_code < 400:
                self.losing -= 1
                answer.headers["content-length"] = "1000000"
                return Cut(answer, 0)
            return answer

    def _answer(self, request: Request, body: bytes) -> Response:
        # a name is one segment, whatever it holds
        path = request.scope["raw_path"].decode()
        if "X-Goog-Signature" in request.query_params:
            return self._signed(request, path, body)
        if path.startswith("/upload/") and "upload_id" in request.query_params:
            # the address itself lets in whoever has it
            return self.uploads.cancel(request) if request.method == "DELETE" else self.uploads.part(request, body)
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if token not in self.tokens and not (self.is_public and not token):
            return error(401)
        if path == f"/upload/storage/v1/b/{BUCKET}/o":
            kind = request.query_params["uploadType"]
            return self.uploads.whole(request, body) if kind == "multipart" else self.uploads.begin(request, body)
        found = _OBJECT.fullmatch(path)
        if found is None or found["bucket"] != BUCKET:
            return error(404)
        if found["name"] is None:
            return self._list(dict(request.query_params))
        return self._object(request, unquote(found["name"]), found["rest"] or "", body)

    def _object(self, request: Request, name: str, rest: str, body: bytes) -> Response:
        query = dict(request.query_params)
        kept = self.shelf.get(name, query.get("generation"))
        if rest:
            return self._copy(name, rest, query, json.loads(body or b"{}"))
        if kept is None:
            return no_object(BUCKET, name)
        if answer := refused(query, kept):
            return answer
        if request.method == "DELETE":
            del self.shelf.objects[name]
            return Response(status_code=204)
        return self._media(request, name) if query.get("alt") == "media" else JSONResponse(kept.resource(BUCKET))

    def _media(self, request: Request, name: str) -> Response:
        whole = media(request, self.shelf.objects[name])
        after, self.cut = self.cut, None
        return whole if after is None else Cut(whole, after)

    def _list(self, query: dict[str, str]) -> Response:
        prefix, start, end = (query.get(name, "").encode() for name in ("prefix", "startOffset", "endOffset"))
        after = base64.b64decode(query.get("pageToken", ""))
        names = [
            name
            for name in self.shelf.names()
            if name.encode().startswith(prefix)
            and name.encode() >= start
            and (not end or name.encode() < end)
            and (not after or name.encode() > after)
        ]
        most = min(int(query.get("maxResults", 1000)), 1000)
        wanted = _FIELDS.fullmatch(query["fields"]) if "fields" in query else None
        if "fields" in query and wanted is None:
            return error(400, "Invalid field selection")
        items = [self.shelf.objects[name].resource(BUCKET) for name in names[:most]]
        if wanted:
            items = [{name: item[name] for name in wanted[1].split(",")} for item in items]
        page: dict[str, Any] = {"items": items} if items else {}
        if len(names) > most:
            page["nextPageToken"] = base64.b64encode(names[most - 1].encode()).decode()
        return JSONResponse(page)

    def _copy(self, name: str, rest: str, query: dict[str, str], metadata: dict[str, Any]) -> Response:
        target = _TARGET.fullmatch(rest)
        assert target, rest
        to = unquote(target["name"])
        # which of the two is looked at first, Google does not say; whoever copies must not depend on it
        if answer := refused(query, self.shelf.get(to)):
            return answer
        kept = self.shelf.get(name, query.get("sourceGeneration"))
        if kept is None:
            return no_object(BUCKET, name)
        if answer := refused(query, kept, source="Source"):
            return answer
        done = int(query.get("rewriteToken", "0")) + self.stride
        if target["verb"] == "rewriteTo" and done < len(kept.data):
            return JSONResponse(_progress(done, len(kept.data)) | {"done": False, "rewriteToken": str(done)})
        # metadata that are sent take the place of the source's, all of them
        said = {"contentType": kept.content_type, **kept.more} if not metadata else metadata | {"name": None}
        more = {name: value for name, value in said.items() if value is not None and name != "contentType"}
        made = self.shelf.put(to, kept.data, said.get("contentType"), **more).resource(BUCKET)
        if target["verb"] == "copyTo":
            return JSONResponse(made)
        return JSONResponse(_progress(len(kept.data), len(kept.data)) | {"done": True, "resource": made})

    def _signed(self, request: Request, path: str, body: bytes) -> Response:
        name = unquote(path.removeprefix(f"/{BUCKET}/"))
        if not is_signed(request):
            return Response("<Error><Code>SignatureDoesNotMatch</Code></Error>", 403, media_type="application/xml")
        if request.method == "PUT":
            self.shelf.put(name, body, request.headers.get("content-type"))
            return Response()
        kept = self.shelf.get(name)
        return media(request, kept) if kept else Response("<Error><Code>NoSuchKey</Code></Error>", 404)


def _progress(done: int, size: int) -> dict[str, Any]:
    return {"kind": "storage#rewriteResponse", "totalBytesRewritten": str(done), "objectSize": str(size)}
