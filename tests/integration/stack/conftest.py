"""Homes for the stacks under test."""

from tests.integration.stack.homes import base, home, made_once, running, spare_home

__all__ = ["base", "home", "made_once", "running", "spare_home"]
