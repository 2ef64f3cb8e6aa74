"""dlt on the same rows, in the peers' virtual environment: merge on the primary key, its defaults, one load."""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ.setdefault("RUNTIME__DLTHUB_TELEMETRY", "false")

import dlt

from bench.harvest_rows import rows


def main(url: str, items: int) -> None:
    given = list(rows(0, items))

    @dlt.resource(name="items", primary_key="external_id", write_disposition="merge")
    def resource():
        for first in range(0, len(given), 500):
            yield given[first : first + 500]

    with tempfile.TemporaryDirectory() as directory:
        pipeline = dlt.pipeline(
            "bench",
            pipelines_dir=directory,
            destination=dlt.destinations.postgres(url.partition("?")[0]),
            dataset_name="bench_dlt",
        )
        began = time.perf_counter()
        pipeline.run(resource()).raise_on_failed_jobs()
        print(json.dumps({"seconds": time.perf_counter() - began}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
