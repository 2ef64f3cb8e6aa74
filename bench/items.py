"""Items of a catalog, with words as unevenly frequent as in life."""

from psycopg import AsyncConnection

from windrow.contracts.scope import Scope
from windrow.postgres import Database

STEP = 50_000

# twenty thousand words; the first are in every third item, the last in one of ten thousand
VOCABULARY = """
CREATE TABLE windrow.bench_words AS
SELECT i, CASE WHEN i <= 8 THEN ('{src,main,docs,test,data,report,service,index}'::text[])[i]
          ELSE ('{ba,ko,ri,ten,mur,sol,vex,pan,lor,dis,qui,har}'::text[])[1 + i % 12]
            || ('{no,ste,rin,da,vel,mo,tik,ran,fu,gel,pos}'::text[])[1 + (i / 12) % 11]
            || ('{"",s,er,ing,tion,al,ix}'::text[])[1 + (i / 132) % 7]
            || CASE WHEN i > 924 THEN chr(97 + i / 924) ELSE '' END END AS word
  FROM generate_series(1, 20000) AS i;
CREATE UNIQUE INDEX ON windrow.bench_words (i);
GRANT SELECT ON windrow.bench_words TO windrow_app;
ANALYZE windrow.bench_words;
"""

FILL = """
INSERT INTO items
SELECT current_tenant(),
       (left(x, 8) || '-' || substr(x, 9, 4) || '-8' || substr(x, 14, 3) || '-a' || substr(x, 18, 3) || '-' || substr(x, 21))::uuid,
       'main', 'repo' || mod(n, 5), 'git', e,
       CASE e WHEN 'commit' THEN 'commit:' || x WHEN 'page' THEN n::text ELSE 'file:' || path END,
       CASE e WHEN 'commit' THEN concat_ws(' ', w0, w1, w2, w3, w4, w5)
              WHEN 'page' THEN initcap(concat_ws(' ', w3, w4, w5, w0)) ELSE w3 || '_' || w4 || '.py' END,
       CASE e WHEN 'file' THEN path WHEN 'page' THEN 'Space/' || w0 || '/' || w3 END,
       'https://example.com/' || w0 || '/' || n, ARRAY[w1 || '@example.com'], ARRAY[w0], x, now(), now() - n * interval '1 s',
       false, jsonb_build_object('size', n, 'language', 'python', 'blob', x, 'description', repeat(w0 || ' ' || w3 || ' ', 6)),
       left(x || x, 40), n / 500, 'run-1', now(), 'git', '1.0.0', 'git@1', 1, 'run-1', now() - n * interval '2 s', now() - n * interval '2 s'
  FROM (SELECT n, md5(n::text) AS x, ('{file,file,file,commit,page}'::text[])[1 + mod(n, 5)] AS e,
               a.word AS w0, b.word AS w1, c.word AS w2, d.word AS w3, f.word AS w4, g.word AS w5,
               concat_ws('/', a.word, b.word, c.word, d.word || '_' || f.word || '.py') AS path
          FROM (SELECT n, sha256(n::text::bytea) AS y FROM generate_series(%(first)s::integer, %(last)s::integer) AS n) AS drawn
          JOIN bench_words a ON a.i = 1 + floor(20000 * power(get_byte(y, 0) / 256.0 + get_byte(y, 1) / 65536.0, 5))::int
          JOIN bench_words b ON b.i = 1 + floor(20000 * power(get_byte(y, 2) / 256.0 + get_byte(y, 3) / 65536.0, 4))::int
          JOIN bench_words c ON c.i = 1 + floor(20000 * power(get_byte(y, 4) / 256.0 + get_byte(y, 5) / 65536.0, 4))::int
          JOIN bench_words d ON d.i = 1 + floor(20000 * power(get_byte(y, 6) / 256.0 + get_byte(y, 7) / 65536.0, 3))::int
          JOIN bench_words f ON f.i = 1 + floor(20000 * power(get_byte(y, 8) / 256.0 + get_byte(y, 9) / 65536.0, 3))::int
          JOIN bench_words g ON g.i = 1 + floor(20000 * power(get_byte(y, 10) / 256.0 + get_byte(y, 11) / 65536.0, 3))::int) AS made
"""


async def vocabulary(owner: "AsyncConnection[tuple[object, ...]]") -> None:
    """The words that items are made of; `DROP TABLE bench_words` when all are made."""
    await owner.execute(VOCABULARY)


async def fill(database: Database, scope: Scope, items: int) -> None:
    """So many items of the tenant."""
    for first in range(1, items + 1, STEP):
        async with database.tenant(scope.tenant_id) as tx:
            last = min(first + STEP - 1, items)
            await tx.connection.execute(FILL, {"first": first, "last": last})
