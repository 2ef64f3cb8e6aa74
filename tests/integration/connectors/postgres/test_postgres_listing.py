"""What is listed of a server, and how it is told."""

import pytest
from tests.integration.connectors.postgres.conftest import Opened
from tests.integration.connectors.postgres.estate import Estate

SHOP = """
CREATE SCHEMA sales; GRANT USAGE ON SCHEMA sales TO PUBLIC; COMMENT ON SCHEMA sales IS 'what is sold';
CREATE TABLE sales.customer (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, email varchar(80) UNIQUE NOT NULL, since date DEFAULT now(),
  shout text GENERATED ALWAYS AS (upper(email)) STORED
);
COMMENT ON TABLE sales.customer IS 'who buys'; COMMENT ON COLUMN sales.customer.email IS 'where the bill goes';
CREATE TABLE sales.bill (customer int, number int, at date, PRIMARY KEY (number, at),
                         FOREIGN KEY (customer) REFERENCES sales.customer (id)) PARTITION BY RANGE (at);
CREATE TABLE sales.bill_old PARTITION OF sales.bill FOR VALUES FROM ('2000-01-01') TO ('2026-01-01');
CREATE TABLE line (bill int, at date, FOREIGN KEY (bill, at) REFERENCES sales.bill (number, at));
CREATE TABLE longer_line (note text) INHERITS (line);
CREATE UNLOGGED TABLE scratch (id int); ALTER TABLE scratch ENABLE ROW LEVEL SECURITY;
CREATE VIEW emails AS SELECT email FROM sales.customer;
CREATE VIEW billed AS SELECT e.email, b.number FROM emails e, sales.bill b, pg_class;
CREATE MATERIALIZED VIEW numbers AS SELECT number FROM billed;
CREATE TEMPORARY TABLE passing (id int);
CREATE SEQUENCE counting; CREATE TYPE mood AS ENUM ('glad');
INSERT INTO sales.customer (email) SELECT n || '@example.org' FROM generate_series(1, 3456) n;
"""


@pytest.mark.req("HV-43")
async def test_a_server_is_told_as_databases_schemas_tables_and_views(estate: Estate, reader: Opened) -> None:
    owner = estate.role("owner")
    estate.sql("shop", SHOP)
    estate.sql(
        "shop",
        f"GRANT CREATE, USAGE ON SCHEMA sales TO {owner}, {estate.user}; ALTER TABLE sales.customer OWNER TO {owner}",
    )
    estate.sql("shop", "VACUUM ANALYZE")

    found = await reader().items()

    assert {named: item.entity_type for named, item in found.items()} == {
        "shop": "database",
        "shop/public": "schema",
        "shop/sales": "schema",
        "shop/sales/customer": "table",
        "shop/sales/bill": "table",
        "shop/sales/bill_old": "table",
        "shop/public/line": "table",
        "shop/public/longer_line": "table",
        "shop/public/scratch": "table",
        "shop/public/emails": "view",
        "shop/public/billed": "view",
        "shop/public/numbers": "materialized_view",
    }
    customer = found["shop/sales/customer"]
    assert (customer.display_name, customer.owners) == ("customer", (owner,))
    assert customer.attributes == {
        "comment": "who buys",
        "columns": [
            {"name": "id", "type": "integer", "required": True, "identity": True},
            {"name": "email", "type": "character varying(80)", "required": True, "comment": "where the bill goes"},
            {"name": "since", "type": "date", "default": True},
            {"name": "shout", "type": "text", "generated": True},
        ],
        "primary_key": ["id"],
        "unique_keys": [["email"]],
        "rows_about": 2000,
        "bytes_about": 500_000,
    }
    assert found["shop/sales"].attributes == {"comment": "what is sold"}
    assert found["shop/sales/bill"].labels == ("partitioned",)
    assert set(found["shop/public/scratch"].labels) == {"unlogged", "row-security"}
    assert found["shop"].attributes["encoding"] == "UTF8"
    assert found["shop"].attributes["bytes_about"] in (5_000_000, 10_000_000)


async def test_lineage_and_keys_are_relations(estate: Estate, reader: Opened) -> None:
    estate.sql("shop", SHOP)
    reading = reader()

    found = await reading.items()

    told = {named: reading.relations(item) for named, item in found.items()}
    assert told["shop/sales"] == {("parent", "shop")}
    assert told["shop/public/emails"] == {("parent", "shop/public"), ("reads", "shop/sales/customer")}
    assert told["shop/public/billed"] == {
        ("parent", "shop/public"),
        ("reads", "shop/public/emails"),
        ("reads", "shop/sales/bill"),
    }
    assert told["shop/public/numbers"] == {("parent", "shop/public"), ("reads", "shop/public/billed")}
    assert told["shop/sales/bill_old"] == {
        ("parent", "shop/sales"),
        ("partition_of", "shop/sales/bill"),
        ("references", "shop/sales/customer"),
    }
    assert told["shop/public/longer_line"] == {("parent", "shop/public"), ("inherits", "shop/public/line")}
    # the server keeps a constraint of its own for each partition of the other side
    assert told["shop/public/line"] == {("parent", "shop/public"), ("references", "shop/sales/bill")}
    (key,) = found["shop/public/line"].attributes["foreign_keys"]
    assert (key["columns"], key["target_columns"]) == (["bill", "at"], ["number", "at"])


async def test_hundreds_of_tables_come_once_each_in_pages_of_any_size(estate: Estate, reader: Opened) -> None:
    estate.sql(
        "shop",
        "DO $$ BEGIN FOR n IN 1..300 LOOP EXECUTE format('CREATE TABLE t%s (a int PRIMARY KEY, b text)', n); END LOOP; END $$",
    )
    one, other = reader(), reader()

    small, large = await one.pages(50), await other.pages(500)

    names = [record["name"] for page in small for record in page.records]
    assert len(names) == len(set(names)) == 302
    assert max(len(page.records) for page in small) == 50
    assert one.of(small) == other.of(large)
    assert {page.snapshot for page in small[:-1]} == {small[0].snapshot}
    assert [call for call in other.calls if call == "connect"] == ["connect"] * 2


async def test_names_that_are_not_easy_are_names(estate: Estate, reader: Opened) -> None:
    """Also in a database without an encoding, where a name may be bytes that are no text."""
    odd = 'sl/ash "quoted" \\back line\nbreak ü 😀 %(x)s'
    estate.create("o/d d", "ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
    quoted = odd.replace('"', '""')
    estate.sql(
        "o/d d",
        f'CREATE SCHEMA "{quoted}"; GRANT USAGE ON SCHEMA "{quoted}" TO PUBLIC; CREATE TABLE "{quoted}"."{quoted}" ("{quoted}" int PRIMARY KEY)',
    )
    estate.sql("o/d d", "DO $$ BEGIN EXECUTE format('CREATE TABLE %I ()', E'caf\\xe9'); END $$")

    found = await reader(databases=[estate.name("o/d d")]).items()

    escaped = 'sl\\x2fash "quoted" \\\\back line\\x0abreak ü 😀 %(x)s'
    table = found[f"o\\x2fd d/{escaped}/{escaped}"]
    assert table.display_name == odd
    assert table.attributes["columns"][0]["name"] == odd
    assert table.attributes["primary_key"] == [odd]
    assert [item.display_name for named, item in found.items() if "/public/" in named] == ["caf\\xe9"]


async def test_a_table_of_very_many_columns_still_fits(estate: Estate, reader: Opened) -> None:
    columns = ", ".join(f'"{n:04}{"x" * 59}" int' for n in range(1500))
    estate.sql("shop", f"CREATE TABLE wide ({columns})")

    wide = (await reader().items())["shop/public/wide"]

    assert 0 < len(wide.attributes["columns"]) < 1500
    assert len(wide.attributes["columns"]) + wide.attributes["columns_left_out"] == 1500


async def test_what_is_left_out_is_not_listed(estate: Estate, reader: Opened) -> None:
    estate.sql("shop", SHOP)

    async def listed(**config: object) -> set[str]:
        return {named for named in await reader(**config).items() if named.count("/") == 2 or named == "stock"}

    assert "stock" in await listed(databases=[f"{estate.mark}_*"])
    assert "stock" not in await listed()
    assert {each.split("/")[1] for each in await listed(schemas=["sal*"]) if "/" in each} == {"sales"}
    assert "shop/public/line" not in await listed(exclude=["public.*line"])
    assert "shop/sales/customer" not in await listed(exclude=["sales"])
    assert "shop/sales/bill_old" not in await listed(partitions=False)
