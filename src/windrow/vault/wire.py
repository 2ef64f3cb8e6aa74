"""How vaults that are reached by HTTP are asked: within seconds, once again after a hiccup, and as nobody's browser.

Proxies, `.netrc` and certificates that the environment names have no word in it. Whoever uses this has checked before that
`requests` is installed; it comes with the libraries that need it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CONNECT_SECONDS, READ_SECONDS = 3.0, 5.0
TIMEOUT = (CONNECT_SECONDS, READ_SECONDS)


@contextmanager
def session(ca: Path | None = None) -> Iterator[Any]:
    """A `requests` session for one reading. Readings are rare: nothing is gained by keeping connections."""
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3 import Retry

    with requests.Session() as opened:
        equip(opened, HTTPAdapter, Retry)
        opened.verify = str(ca) if ca else True
        yield opened


def equip(opened: Any, adapter: Any, retry: Any) -> None:
    """The same manners for a session that a library made."""
    opened.trust_env = False
    hiccups = retry(
        total=1,
        status_forcelist=(500, 502, 503, 504),
        backoff_factor=0.1,
        raise_on_status=False,
        respect_retry_after_header=False,
    )
    for scheme in ("https://", "http://"):
        opened.mount(scheme, adapter(max_retries=hiccups))
