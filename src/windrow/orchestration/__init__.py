"""Temporal and nothing but Temporal. Workflow files import contracts and nothing that touches the world."""
