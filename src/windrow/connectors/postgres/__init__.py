"""The connector `postgres`: what a Postgres server holds. docs/how-to/harvest-postgres.md is its page."""

from windrow.connectors.postgres.connector import PostgresConnector

__all__ = ["PostgresConnector"]
