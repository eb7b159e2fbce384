-- Canonical half, version 4: what was written here, and not by whoever handed the file over. A seal
-- is a hash of the row under the store's key (store.db.seals); an empty one fits no row.
ALTER TABLE memories ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
ALTER TABLE versions ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
ALTER TABLE links ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
ALTER TABLE sessions ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
ALTER TABLE events ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
