"""YouTube on loopback, in a process of its own: `python -m bench.media_youtube` prints where it answers, and shows any video."""

import asyncio
import json
import sys
from typing import Any
from urllib.parse import parse_qs, urlsplit


def video(video_id: str) -> dict[str, Any]:
    """A public video, as long as others."""
    snippet = {
        "publishedAt": "2025-09-24T17:06:07Z",
        "channelId": "UCb--64Gl51jIEVE-GLDAVTg",
        "title": f"Talk {video_id}",
        "description": "Two people talk. " * 20,
        "channelTitle": "Talks",
        "tags": ["one", "two", "three"],
        "categoryId": "28",
        "liveBroadcastContent": "none",
    }
    return {
        "kind": "youtube#video",
        "id": video_id,
        "snippet": snippet,
        "contentDetails": {"duration": "PT53M53S"},
        "status": {"uploadStatus": "processed", "privacyStatus": "public"},
        "statistics": {"viewCount": "1234567", "likeCount": "9876"},
    }


def answer(target: str) -> bytes:
    """The list that was asked for."""
    address = urlsplit(target)
    ids = parse_qs(address.query).get("id", [""])[0].split(",")
    if address.path.endswith("/videos"):
        told = {"kind": "youtube#videoListResponse", "items": [video(one) for one in ids]}
    else:
        items = [{"kind": "youtube#videoCategory", "id": one, "snippet": {"title": "Science"}} for one in ids]
        told = {"kind": "youtube#videoCategoryListResponse", "items": items}
    body = json.dumps(told).encode()
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One connection, request after request."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            writer.write(answer(head.split(b" ", 2)[1].decode()))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    sys.stdout.write(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/youtube/v3\n")
    sys.stdout.flush()
    # until whoever started it goes away
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
