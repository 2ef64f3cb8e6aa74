-- Labels and owners are words of their own: who lists what has a label no longer looks at everything that has not.

-- As in 0008, and besides each label (l) and each owner (u) whole, whatever it is made of: as a hash, which has no spaces, is
-- short, and differs where the words do not (`red late` is not `red` and `late`, nor a path through `red`).
CREATE OR REPLACE FUNCTION item_words(
  tenant_id text, project_id text, item_id uuid, endpoint_id text, deleted boolean, entity_type text,
  external_id text, display_name text, canonical_path text, owners text[], labels text[]
) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  drawn CONSTANT integer := get_byte(uuid_send(item_id), 15) + 256 * (get_byte(uuid_send(item_id), 14) & 15);
  own   CONSTANT text := ' ' || windrow.words_owner(tenant_id, project_id, deleted)
    || CASE WHEN drawn >= 1024 THEN '6' WHEN drawn >= 256 THEN '5' WHEN drawn >= 64 THEN '4' WHEN drawn >= 16 THEN '3'
            WHEN drawn >= 4 THEN '2' WHEN drawn >= 1 THEN '1' ELSE '0' END;
  name  text := left(display_name, 300);
  id    text := external_id;
  other text;
  said  text;
  whole text := '';
BEGIN
  -- what repeats the path, or in the path the name, need not be indexed twice
  IF canonical_path IS NOT NULL THEN
    IF right(id, length(canonical_path)) = canonical_path THEN
      id := left(id, -length(canonical_path));
    END IF;
    IF right(canonical_path, length(display_name)) = display_name THEN
      canonical_path := left(canonical_path, -length(display_name));
    END IF;
  END IF;
  other := concat_ws(' ', entity_type, left(id, 300), right(canonical_path, 300),
                     left(array_to_string(labels, ' '), 300), left(array_to_string(owners, ' '), 300));
  name := windrow.whole_and_apart(name);
  name := windrow.spaced(name);
  other := windrow.whole_and_apart(other);
  other := windrow.spaced(other);
  FOREACH said IN ARRAY labels LOOP
    whole := whole || own || 'l' || left(md5(said), 16);
  END LOOP;
  FOREACH said IN ARRAY owners LOOP
    whole := whole || own || 'u' || left(md5(said), 16);
  END LOOP;
  RETURN array_to_tsvector(string_to_array(substr(own, 2) || '@' || endpoint_id
    || own || 'n' || replace(name, ' ', own || 'n')
    || own || 'o' || replace(other, ' ', own || 'o')
    || CASE WHEN strpos(name, ' ') = 0 THEN own || 'e' || name ELSE '' END
    || whole, ' '));
END $$;

-- What has words already is indexed anew like everything else; until then it is behind, and lists look at the rows. (The
-- owner sees the rows only while they are not guarded from it.)
ALTER TABLE search_words NO FORCE ROW LEVEL SECURITY;
ALTER TABLE search_backlog NO FORCE ROW LEVEL SECURITY;
INSERT INTO search_backlog (tenant_id, item_ids)
SELECT tenant_id, array_agg(item_id)
  FROM (SELECT tenant_id, item_id, (row_number() OVER (PARTITION BY tenant_id) - 1) / 100 AS portion FROM search_words) AS there
 GROUP BY tenant_id, portion;
ALTER TABLE search_words FORCE ROW LEVEL SECURITY;
ALTER TABLE search_backlog FORCE ROW LEVEL SECURITY;
