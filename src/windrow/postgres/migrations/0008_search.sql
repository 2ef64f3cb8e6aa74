-- Search: which words an item is found by, and the one way to look for them. docs/explanation/search.md tells the whole.

-- The two longer ways to part words; no word is longer than an index entry may be.
CREATE FUNCTION spaced_beyond_ascii(said text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(regexp_replace(normalize(said, NFKC),
  '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u3000-\u303f]+', ' ', 'g'),
  '([^ ]{255})[^ ]+', '\1', 'g');

-- A text in lower case, with spaces where words part. It runs for every item that is written, and a chain of replace() is
-- far cheaper than a regular expression: only texts with more than the usual separators take the longer ways.
CREATE FUNCTION spaced(said text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN replace(replace(replace(replace(replace(replace(lower(
    CASE WHEN said !~ '[^a-zA-Z0-9 /._:@-]' THEN said
         WHEN octet_length(said) = length(said) THEN regexp_replace(said, '[^a-zA-Z0-9]+', ' ', 'g')
         ELSE spaced_beyond_ascii(said) END
  ), '/', ' '), '.', ' '), '_', ' '), '-', ' '), ':', ' '), '@', ' ');

-- `TokenStore` as `Token Store`.
CREATE FUNCTION apart(said text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN said ~ '[a-z0-9][A-Z]' THEN regexp_replace(said, '([a-z0-9])([A-Z])', '\1 \2', 'g') ELSE said END;

-- `TokenStore` as `TokenStore Token Store`: found by either.
CREATE FUNCTION whole_and_apart(said text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN said ~ '[a-z0-9][A-Z]' THEN said || ' ' || apart(said) ELSE said END;

-- The words of a spaced text.
CREATE FUNCTION words_in(spaced text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_remove(string_to_array(spaced, ' '), '');

-- A text as a phrase is looked for in it: its words in order, each between single spaces.
CREATE FUNCTION as_phrase(said text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  said := windrow.whole_and_apart(said);
  said := windrow.spaced(said);
  RETURN concat(' ', btrim(replace(replace(replace(said, '    ', ' '), '  ', ' '), '  ', ' ')), ' ');
END $$;

-- Whose words they are, and whether of items that are still there.
CREATE FUNCTION words_owner(tenant_id text, project_id text, deleted boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(md5(tenant_id || '/' || project_id), 5) || CASE WHEN deleted THEN 'x' ELSE 'i' END;

-- An item's words as the index holds them. Each begins with whose it is (a hash: short, and what is frequent with others
-- costs nothing here), whether it is still there, its lot, and what kind of word it is: n of the name, e the whole name,
-- o any other, @ the endpoint.
--
-- The lots are 1, 3, 12, 48, 192, 768 and 3072 of 4096 items, drawn by their ids, which are hashes. Who looks for a frequent
-- word stops after the first: this kind of index cannot stop half way, and would read a million entries to show twenty.
CREATE FUNCTION item_words(
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
  RETURN array_to_tsvector(string_to_array(substr(own, 2) || '@' || endpoint_id
    || own || 'n' || replace(name, ' ', own || 'n')
    || own || 'o' || replace(other, ' ', own || 'o')
    || CASE WHEN strpos(name, ' ') = 0 THEN own || 'e' || name ELSE '' END, ' '));
END $$;

-- An expression index: there is no column to store, and an update that changes none of these fields leaves the index
-- alone, if the page has room for the new row. What was written last waits in a list, which a search reads too, until
-- `tidy_search` sorts it in: that costs more than all the rest of writing the words.
ALTER TABLE items SET (fillfactor = 90);
CREATE INDEX items_words ON items USING gin (item_words(
  tenant_id, project_id, item_id, endpoint_id, deleted, entity_type, external_id, display_name, canonical_path, owners, labels
)) WITH (fastupdate = on, gin_pending_list_limit = 32768);

-- What is being looked for at this moment; NULL: nothing.
CREATE FUNCTION searched() RETURNS tsquery
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('windrow.searched', true), '')::tsquery;

-- Words may be compared only with rows that the policy has let through, since to compare could tell something about the
-- others: for the application, the index is of no use. So the comparison is made part of a policy. The owner, as whom
-- `search_lots` runs, sees those rows of the session's tenant that are being looked for; without a tenant, or without a
-- search under way, none. (Not `=`: the index of the words is the only one that may be taken.)
CREATE POLICY searched ON items FOR SELECT TO CURRENT_USER USING (
  tenant_id IS NOT DISTINCT FROM current_tenant()
  AND item_words(
    tenant_id, project_id, item_id, endpoint_id, deleted, entity_type, external_id, display_name, canonical_path, owners, labels
  ) @@ searched()
);

-- The items of the session's tenant in some lots that answer a query, in which `~` stands for the words' owner.
CREATE FUNCTION search_lots(project text, gone boolean, lots integer[], query text, most integer) RETURNS SETOF items
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = windrow, pg_temp
SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  owner CONSTANT text := words_owner(current_tenant(), project, gone);
  lot   integer;
  given integer;
BEGIN
  FOREACH lot IN ARRAY lots LOOP
    PERFORM set_config('windrow.searched', replace(query, '~', owner || lot), true);
    IF row_security_active('items') THEN
      RETURN QUERY SELECT * FROM items LIMIT most; -- the policy chooses
    ELSE -- an owner who is a superuser is above all policies
      RETURN QUERY SELECT * FROM items i
        WHERE i.tenant_id IS NOT DISTINCT FROM current_tenant()
          AND item_words(
            i.tenant_id, i.project_id, i.item_id, i.endpoint_id, i.deleted, i.entity_type, i.external_id, i.display_name,
            i.canonical_path, i.owners, i.labels
          ) @@ searched()
        LIMIT most;
    END IF;
    GET DIAGNOSTICS given = ROW_COUNT;
    most := most - given;
  END LOOP;
  PERFORM set_config('windrow.searched', '', true);
END $$;
REVOKE EXECUTE ON FUNCTION search_lots FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_lots TO windrow_app;

-- Sort the words that were written last into the index; the pages that they took.
CREATE FUNCTION tidy_search() RETURNS bigint
LANGUAGE sql SECURITY DEFINER
SET search_path = windrow, pg_temp
AS $$ SELECT gin_clean_pending_list('windrow.items_words') $$;
REVOKE EXECUTE ON FUNCTION tidy_search FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tidy_search TO windrow_app, windrow_system;

-- What came last, first; and how many are gone, without reading those that are not.
CREATE INDEX items_new ON items (tenant_id, project_id, first_seen_at);
CREATE INDEX items_gone ON items (tenant_id, project_id, endpoint_id, entity_type, item_id) WHERE deleted;

-- What an item says now, in the shape in which its history keeps what it said before.
CREATE FUNCTION item_says(i items) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
RETURN jsonb_strip_nulls(jsonb_build_object(
    'entity_type', i.entity_type, 'display_name', i.display_name, 'canonical_path', i.canonical_path, 'url', i.url,
    'owners', i.owners, 'labels', i.labels, 'source_version', i.source_version,
    'source_created_at', i.source_created_at, 'source_updated_at', i.source_updated_at, 'deleted', i.deleted))
  || jsonb_build_object('attributes', i.attributes);
