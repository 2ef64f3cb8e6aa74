"""Endpoints as a team keeps them in git."""

TWO = """\
endpoints:
  handbook:
    connector: git
    config: {path: /srv/handbook}
    schedule: 1h
  shares:
    connector: files
    config: {path: /srv/shares}
"""
