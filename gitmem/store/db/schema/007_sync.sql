-- Canonical half: which versions of memories and links are shared with other devices. No text of
-- a memory is here; that is in the records themselves, in git.
CREATE TABLE sync_records (
  hash TEXT PRIMARY KEY NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('memory', 'link', 'tombstone')),
  id TEXT NOT NULL,
  device TEXT NOT NULL,
  counter INTEGER NOT NULL,
  parents TEXT NOT NULL,
  text TEXT NOT NULL,
  content TEXT NOT NULL,
  -- current: what the store has; conflict: waits in the inbox; settled: decided there.
  state TEXT NOT NULL CHECK (state IN ('', 'current', 'conflict', 'settled')),
  -- Of a conflict the memory that holds the other version.
  copy TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sync_records_of ON sync_records (id);
CREATE INDEX sync_records_by_device ON sync_records (device, counter);
CREATE INDEX sync_records_copies ON sync_records (copy) WHERE copy <> '';

CREATE TABLE sync_devices (
  device TEXT PRIMARY KEY NOT NULL,
  remote TEXT NOT NULL,
  author TEXT NOT NULL,
  -- The commit up to which its records were read.
  tip TEXT NOT NULL,
  trust TEXT NOT NULL CHECK (trust IN ('', 'accepted')),
  -- The fingerprint of the key that signed when it was accepted, and must sign since.
  key TEXT NOT NULL,
  -- Of that commit: whether its signature is verified, and by which key it is.
  signature TEXT NOT NULL,
  signer TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  seal BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Another kind of suggestion: two versions of one memory.
CREATE TABLE suggestions_with_versions (
  id TEXT PRIMARY KEY NOT NULL,
  -- What it is about, as a hash: what was rejected once is never suggested again.
  key TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (
    kind IN ('memory', 'merge', 'duplicate', 'contradiction', 'stale', 'version')
  ),
  memory TEXT NOT NULL,
  other TEXT NOT NULL,
  similarity REAL NOT NULL CHECK (similarity BETWEEN 0 AND 1),
  reason TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'rejected')),
  agent TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  resolved_at INTEGER,
  resolved_by TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO suggestions_with_versions SELECT * FROM suggestions;
DROP TABLE suggestions;
ALTER TABLE suggestions_with_versions RENAME TO suggestions;
CREATE INDEX suggestions_pending ON suggestions (created_at) WHERE state = 'pending';
CREATE INDEX suggestions_of_memory ON suggestions (memory);
CREATE INDEX suggestions_of_other ON suggestions (other);
