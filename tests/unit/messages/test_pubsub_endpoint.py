"""Where Pub/Sub answers: the way is guarded unless it leads nowhere else than to an emulator."""

import pytest

from windrow.contracts.errors import Fatal
from windrow.messages.pubsub import Endpoint


@pytest.mark.parametrize(
    ("text", "address", "is_open"),
    [
        ("localhost:8085", "localhost:8085", True),
        ("127.0.0.1:8085", "127.0.0.1:8085", True),
        ("[::1]:8085", "[::1]:8085", True),
        ("http://emulator:8085", "emulator:8085", True),
        ("https://localhost:8443", "localhost:8443", False),
        ("europe-west1-pubsub.googleapis.com", "europe-west1-pubsub.googleapis.com:443", False),
        ("10.0.0.7:8085", "10.0.0.7:8085", False),
        ("localhost.evil.example:8085", "localhost.evil.example:8085", False),
    ],
)
def test_only_an_emulators_endpoint_is_open(text: str, address: str, is_open: bool) -> None:
    assert Endpoint.parse(text) == Endpoint(address, is_open)


@pytest.mark.parametrize("text", ["", ":8085", "ftp://x:1", "host:port", "host:99999", "host/path", "user@host:443"])
def test_what_is_no_endpoint_is_refused(text: str) -> None:
    with pytest.raises(Fatal, match="WINDROW_PUBSUB_ENDPOINT"):
        Endpoint.parse(text)
