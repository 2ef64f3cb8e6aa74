"""Two databases, as the conformance suite needs them: tables, views on views, partitions, keys, names that are not easy."""

from pathlib import Path

from tests.conformance.subjects import Subject
from tests.integration.connectors.postgres.estate import Estate

from windrow.connectors.postgres import PostgresConnector

# given by this folder's conftest
server_url = ""

_SHOP = """
CREATE SCHEMA sales; GRANT USAGE ON SCHEMA sales TO PUBLIC; COMMENT ON SCHEMA sales IS 'what is sold';
CREATE TABLE sales.customer (id int PRIMARY KEY, email text UNIQUE NOT NULL);
COMMENT ON COLUMN sales.customer.email IS 'where the bill goes';
CREATE TABLE sales."order" (id int, customer int REFERENCES sales.customer, at date, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE sales.order_2026 PARTITION OF sales."order" DEFAULT;
DO $$ BEGIN FOR n IN 1..120 LOOP
  EXECUTE format('CREATE TABLE sales.%I (id int, note text)', 'part ' || n);
END LOOP; END $$;
CREATE VIEW sales.customers AS SELECT email FROM sales.customer;
CREATE VIEW public.all_customers AS SELECT * FROM sales.customers;
CREATE MATERIALIZED VIEW public.kept AS SELECT count(*) FROM sales."order";
"""
_ODD = """
CREATE SCHEMA "a/b"; GRANT USAGE ON SCHEMA "a/b" TO PUBLIC;
CREATE TABLE "a/b"."line\nbreak ""quoted"" \\ ü 😀" ("select" int, "%(x)s" text);
CREATE TABLE plain (id int);
CREATE TABLE gone (id int);
"""


def subject(tmp_path: Path) -> Subject:
    """Some 140 things in two databases, both of which `mutate` changes."""
    estate = Estate(server_url, "shop", "odd")
    try:
        for database, script in (("shop", _SHOP), ("odd", _ODD)):
            estate.sql(database, script)
            # a statement of its own: it cannot be part of a transaction
            estate.sql(database, "VACUUM ANALYZE")
    except BaseException:
        estate.close()
        raise

    def mutate() -> None:
        estate.sql("shop", "COMMENT ON TABLE sales.customer IS 'who buys'")
        estate.sql("odd", "DROP TABLE gone")

    return Subject(
        name="postgres",
        connector=PostgresConnector,
        config=estate.config("shop"),
        permits_root=tmp_path,
        mutate=mutate,
        credential=estate.password,
        addresses=(estate.door,),
        close=estate.close,
    )
