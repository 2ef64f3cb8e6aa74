"""`python -m windrow` is `windrow`."""

from windrow.cli import main

main()
