"""Where Pub/Sub answers, and whether the way there is guarded."""

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from windrow.contracts.errors import Code, Fatal


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A host and port. An open one has neither TLS nor credentials: an emulator on this machine, or said to be so."""

    address: str
    is_open: bool = False

    @classmethod
    def parse(cls, text: str) -> "Endpoint":
        """From `HOST[:PORT]`, `https://…` or, for an emulator, `http://…`; a loopback address is an emulator's too."""
        parts = urlsplit(text if "://" in text else f"//{text}")
        try:
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if not host or parts.scheme not in ("", "http", "https") or parts.path.strip("/") or "@" in parts.netloc:
            raise Fatal(
                f"WINDROW_PUBSUB_ENDPOINT: {text[:120]!r} is not HOST:PORT",
                code=Code.CONFIGURATION,
                hint="write for example europe-west1-pubsub.googleapis.com:443, or localhost:8085 for an emulator",
            )
        is_open = parts.scheme == "http" or (not parts.scheme and _is_loopback(host))
        name = f"[{host}]" if ":" in host else host
        return cls(f"{name}:{port or (80 if is_open else 443)}", is_open)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
