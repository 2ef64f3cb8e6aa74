"""The conformance suite: what every connector keeps, asked one question at a time.

candidate = Candidate(connector=Shelf, config=configured(Shelf, {"path": "…"}), context=standalone(…))
async for result in examine(candidate): …
"""

from windrow.connectors.conformance.candidate import Candidate, Limits
from windrow.connectors.conformance.result import Result, Verdict
from windrow.connectors.conformance.suite import CHECKS, Check, examine

__all__ = ["CHECKS", "Candidate", "Check", "Limits", "Result", "Verdict", "examine"]
