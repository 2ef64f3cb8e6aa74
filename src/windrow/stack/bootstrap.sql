-- run once in single-user mode, where each line is a statement; no superuser has a password, so nobody logs in as one
-- the login role: owns its database and may make the roles and the test databases it needs; row security binds it
CREATE ROLE windrow LOGIN CREATEROLE CREATEDB PASSWORD ':password';
CREATE DATABASE windrow OWNER windrow;
