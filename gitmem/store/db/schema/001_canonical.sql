-- Canonical half, version 1: what is never lost. Every later change is a new numbered file.
CREATE TABLE meta (
  key TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
  key TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  root TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE project_aliases (
  alias TEXT PRIMARY KEY NOT NULL,
  key TEXT NOT NULL,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE memories (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL CHECK (scope IN ('project', 'global')),
  project TEXT NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  content TEXT NOT NULL,
  tags TEXT NOT NULL,
  paths TEXT NOT NULL,
  weight INTEGER NOT NULL CHECK (weight BETWEEN 1 AND 5),
  importance REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
  confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  pinned INTEGER NOT NULL CHECK (pinned IN (0, 1)),
  source TEXT NOT NULL,
  agent TEXT NOT NULL,
  author TEXT NOT NULL,
  session TEXT NOT NULL,
  branch TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  status TEXT NOT NULL,
  metadata TEXT NOT NULL,
  ttl_ms INTEGER,
  expires_at INTEGER,
  archived_at INTEGER,
  superseded_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  device TEXT NOT NULL,
  counter INTEGER NOT NULL,
  digest TEXT NOT NULL,
  hash BLOB NOT NULL
) STRICT;

CREATE INDEX memories_by_creation ON memories (created_at);
CREATE INDEX memories_by_update ON memories (updated_at);
CREATE INDEX memories_by_kind ON memories (kind, created_at);
CREATE INDEX memories_by_digest ON memories (digest);
CREATE INDEX memories_pinned ON memories (created_at) WHERE pinned = 1;
CREATE INDEX memories_proposed ON memories (created_at) WHERE status = 'proposed';
CREATE INDEX memories_expiring ON memories (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memories_archived ON memories (archived_at) WHERE archived_at IS NOT NULL;

CREATE TABLE versions (
  memory TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  at INTEGER NOT NULL,
  action TEXT NOT NULL,
  agent TEXT NOT NULL,
  snapshot TEXT NOT NULL,
  PRIMARY KEY (memory, version)
) STRICT, WITHOUT ROWID;

CREATE INDEX versions_by_time ON versions (at);

CREATE TABLE links (
  id TEXT PRIMARY KEY NOT NULL,
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  relation TEXT NOT NULL,
  strength REAL NOT NULL CHECK (strength BETWEEN 0 AND 1),
  context TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  device TEXT NOT NULL,
  counter INTEGER NOT NULL,
  UNIQUE (source, target, relation)
) STRICT, WITHOUT ROWID;

CREATE INDEX links_by_target ON links (target);

CREATE TABLE tombstones (
  id TEXT PRIMARY KEY NOT NULL,
  at INTEGER NOT NULL,
  device TEXT NOT NULL,
  counter INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE usage (
  memory TEXT PRIMARY KEY NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  count INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY NOT NULL,
  agent TEXT NOT NULL,
  client_id TEXT NOT NULL,
  worktree TEXT NOT NULL,
  branch TEXT NOT NULL,
  head_start TEXT NOT NULL,
  head_end TEXT NOT NULL,
  goal TEXT NOT NULL,
  summary TEXT NOT NULL,
  active_file TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_activity ON sessions (last_at);

CREATE TABLE session_files (
  session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  viewed_at INTEGER NOT NULL,
  PRIMARY KEY (session, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  id TEXT PRIMARY KEY NOT NULL,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  branch TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  device TEXT NOT NULL,
  counter INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX events_by_time ON events (at);
CREATE INDEX events_by_session ON events (session);

CREATE TABLE presence (
  worktree TEXT PRIMARY KEY NOT NULL,
  seen_at INTEGER NOT NULL,
  head TEXT NOT NULL,
  branch TEXT NOT NULL,
  base_at INTEGER,
  base_head TEXT NOT NULL
) STRICT, WITHOUT ROWID;
