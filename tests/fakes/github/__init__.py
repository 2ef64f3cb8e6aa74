"""GitHub's REST API on loopback: stateful, and faithful on the wire as far as the connector can see it.

Written from GitHub's documentation of its REST API (pagination, rate limits, best practices, the endpoints' own pages) and
from what its users report of it: `state` is what people see, `wire` how the API says it, `people` what they do all day, and
`weather` the troubles it has.
"""

from tests.fakes.github import people, weather
from tests.fakes.github.server import GitHub
from tests.fakes.github.state import Commit, Issue, Repository

__all__ = ["Commit", "GitHub", "Issue", "Repository", "people", "weather"]
