-- item: whether there is something to link to, and whether its source still has it
SELECT deleted FROM items WHERE item_id = %(item_id)s AND project_id = %(project_id)s;

-- request: somebody may upload until the URL expires; an upload that began before may take an hour longer
INSERT INTO blobs (tenant_id, blob_id, project_id, item_id, media_type, name, announced_size, announced_sha256, requested_by,
                   expires_at, tidy_at)
VALUES (current_tenant(), %(blob_id)s, %(project_id)s, %(item_id)s, %(media_type)s, %(name)s, %(size)s, %(sha256)s, %(by)s,
        clock_timestamp() + %(lifetime)s, clock_timestamp() + %(lifetime)s + %(grace)s);

-- find: one blob, of one project if it is named
SELECT tenant_id, blob_id, project_id, item_id, state, media_type, name, announced_size, announced_sha256, key, size, sha256,
       requested_by, requested_at, expires_at, uploaded_at, linked_at
  FROM blobs
 WHERE blob_id = %(blob_id)s AND (%(project_id)s::text IS NULL OR project_id = %(project_id)s);

-- uploaded: the bytes are there; of any number of uploads by one URL, the first is named and the others are nothing
UPDATE blobs SET state = 'uploaded', key = %(key)s, size = %(size)s, sha256 = %(sha256)s, uploaded_at = clock_timestamp()
 WHERE blob_id = %(blob_id)s AND state = 'requested';

-- linked: it is part of its item from here on
UPDATE blobs SET state = 'linked', linked_at = clock_timestamp()
 WHERE blob_id = %(blob_id)s AND state = 'uploaded';

-- of_item: what is linked to an item, and what is on its way, oldest first
SELECT tenant_id, blob_id, project_id, item_id, state, media_type, name, announced_size, announced_sha256, key, size, sha256,
       requested_by, requested_at, expires_at, uploaded_at, linked_at
  FROM blobs
 WHERE item_id = %(item_id)s AND project_id = %(project_id)s AND state <> 'expired'
 ORDER BY requested_at, blob_id
 LIMIT %(limit)s;

-- recent: a project's blobs, newest first, from the one after `before`
SELECT tenant_id, blob_id, project_id, item_id, state, media_type, name, announced_size, announced_sha256, key, size, sha256,
       requested_by, requested_at, expires_at, uploaded_at, linked_at
  FROM blobs
 WHERE project_id = %(project_id)s
   AND (%(before)s::uuid IS NULL
        OR (requested_at, blob_id) < (SELECT b.requested_at, b.blob_id FROM blobs b WHERE b.blob_id = %(before)s))
 ORDER BY requested_at DESC, blob_id DESC
 LIMIT %(limit)s;

-- untidy: taken by putting the next look off, so that one that always fails does not hold up the others
UPDATE blobs SET tidy_at = clock_timestamp() + %(again)s
 WHERE (tenant_id, blob_id) IN (SELECT tenant_id, blob_id FROM blobs WHERE tidy_at <= clock_timestamp()
                                 ORDER BY tidy_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
RETURNING tenant_id, blob_id;

-- expire: nobody brought it in time, or it waited too long for an item that is gone
UPDATE blobs SET state = 'expired'
 WHERE blob_id = %(blob_id)s
   AND (state = 'requested' OR state = 'uploaded' AND uploaded_at < clock_timestamp() - %(patience)s);

-- tidied: nothing is left to do for it
UPDATE blobs SET tidy_at = NULL WHERE blob_id = %(blob_id)s AND state IN ('linked', 'expired');
