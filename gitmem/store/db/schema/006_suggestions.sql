-- Canonical half, version 6: what waits for somebody's consent, what was merged into what, and the
-- work that is done beside commands. None of it holds a memory's text: versions keep that.
CREATE TABLE suggestions (
  id TEXT PRIMARY KEY NOT NULL,
  -- What it is about, as a hash: what was rejected once is never suggested again.
  key TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('memory', 'merge', 'duplicate', 'contradiction', 'stale')),
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

CREATE INDEX suggestions_pending ON suggestions (created_at) WHERE state = 'pending';
CREATE INDEX suggestions_of_memory ON suggestions (memory);
CREATE INDEX suggestions_of_other ON suggestions (other);

CREATE TABLE consolidations (
  id TEXT PRIMARY KEY NOT NULL,
  target TEXT NOT NULL,
  source TEXT NOT NULL,
  strategy TEXT NOT NULL,
  similarity REAL NOT NULL CHECK (similarity BETWEEN 0 AND 1),
  -- The target's versions before and after.
  before_version INTEGER NOT NULL,
  after_version INTEGER NOT NULL,
  agent TEXT NOT NULL,
  at INTEGER NOT NULL,
  undone_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX consolidations_by_time ON consolidations (at);
CREATE INDEX consolidations_of_target ON consolidations (target);

CREATE TABLE jobs (
  id TEXT PRIMARY KEY NOT NULL,
  -- Work of one key is queued once.
  key TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  state TEXT NOT NULL CHECK (
    state IN ('queued', 'running', 'succeeded', 'failed', 'dead_letter', 'cancelled')
  ),
  dry_run INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
  attempts INTEGER NOT NULL,
  -- Until when the process that runs it holds it.
  lease_until INTEGER,
  due_at INTEGER NOT NULL,
  result TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX jobs_due ON jobs (due_at) WHERE state IN ('queued', 'running');
