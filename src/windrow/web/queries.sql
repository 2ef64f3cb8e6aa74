-- ready: that the database answers, and that the schema is there
SELECT count(*) AS migrations FROM pg_catalog.pg_tables WHERE schemaname = 'windrow' AND tablename = 'blobs';
