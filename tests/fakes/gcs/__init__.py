"""Google Cloud Storage on loopback, by the letter of its JSON API.

server.py   the routes of the API, tokens, and what a test may let go wrong
uploads.py  uploads in one request and in parts
reading.py  media, with ranges
shelf.py    objects, their generations, and what guards them
signed.py   URLs that a service account has signed
errors.py   errors as Google writes them
"""

from tests.fakes.gcs.server import FakeGcs

__all__ = ["FakeGcs"]
