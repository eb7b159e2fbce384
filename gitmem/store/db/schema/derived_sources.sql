-- Derived half, sources: files cut into chunks, commits, and the vectors of everything.
CREATE TABLE blobs (
  id INTEGER PRIMARY KEY,
  oid TEXT NOT NULL,
  cutter TEXT NOT NULL,
  skipped TEXT NOT NULL,
  lines INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  UNIQUE (oid, cutter)
) STRICT;

CREATE TABLE paths (
  tree TEXT NOT NULL,
  path TEXT NOT NULL,
  blob INTEGER NOT NULL REFERENCES blobs (id),
  language TEXT NOT NULL,
  PRIMARY KEY (tree, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX paths_by_blob ON paths (blob);

CREATE TABLE chunks (
  id INTEGER PRIMARY KEY,
  blob INTEGER NOT NULL REFERENCES blobs (id) ON DELETE CASCADE,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  context TEXT NOT NULL,
  symbol TEXT NOT NULL,
  text TEXT NOT NULL,
  hash BLOB NOT NULL
) STRICT;

CREATE INDEX chunks_by_blob ON chunks (blob);

CREATE TABLE symbols (
  id INTEGER PRIMARY KEY,
  blob INTEGER NOT NULL REFERENCES blobs (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  kind TEXT NOT NULL,
  signature TEXT NOT NULL,
  doc TEXT NOT NULL,
  container TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  exported INTEGER NOT NULL
) STRICT;

CREATE INDEX symbols_by_key ON symbols (key);
CREATE INDEX symbols_by_blob ON symbols (blob);

CREATE TABLE refs (
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  blob INTEGER NOT NULL REFERENCES blobs (id) ON DELETE CASCADE,
  lines TEXT NOT NULL,
  PRIMARY KEY (name, kind, blob)
) STRICT, WITHOUT ROWID;

CREATE INDEX refs_by_blob ON refs (blob);

CREATE TABLE imports (
  id INTEGER PRIMARY KEY,
  blob INTEGER NOT NULL REFERENCES blobs (id) ON DELETE CASCADE,
  module TEXT NOT NULL,
  names TEXT NOT NULL,
  line INTEGER NOT NULL
) STRICT;

CREATE INDEX imports_by_module ON imports (module);
CREATE INDEX imports_by_blob ON imports (blob);

CREATE VIRTUAL TABLE chunk_text USING fts5(
  path, symbol, context, body, parts,
  content='', contentless_delete=1,
  tokenize="porter unicode61 remove_diacritics 2 tokenchars '_'"
);

CREATE TABLE commits (
  id INTEGER PRIMARY KEY,
  sha TEXT NOT NULL UNIQUE,
  author TEXT NOT NULL,
  at INTEGER NOT NULL,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  paths TEXT NOT NULL,
  hash BLOB NOT NULL
) STRICT;

CREATE INDEX commits_by_time ON commits (at);

CREATE VIRTUAL TABLE commit_text USING fts5(
  subject, body, paths, parts,
  content='', contentless_delete=1,
  tokenize="porter unicode61 remove_diacritics 2 tokenchars '_'"
);

CREATE VIRTUAL TABLE commit_message USING fts5(
  subject, body, parts,
  content='', contentless_delete=1,
  tokenize="porter unicode61 remove_diacritics 2 tokenchars '_'"
);

CREATE TABLE commit_issues (
  issue TEXT NOT NULL,
  commit_id INTEGER NOT NULL,
  PRIMARY KEY (issue, commit_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX commit_issues_by_commit ON commit_issues (commit_id);

CREATE TABLE trees (
  tree TEXT PRIMARY KEY NOT NULL,
  head TEXT NOT NULL,
  stamp TEXT NOT NULL,
  state TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX chunks_by_hash ON chunks (hash);
CREATE INDEX commits_by_hash ON commits (hash);

CREATE TABLE vector_parts (
  id INTEGER PRIMARY KEY,
  model TEXT NOT NULL,
  source TEXT NOT NULL,
  stamp BLOB NOT NULL,
  UNIQUE (model, source)
) STRICT;

CREATE TABLE vectors (
  id INTEGER PRIMARY KEY,
  part INTEGER NOT NULL,
  hash BLOB NOT NULL,
  q8 BLOB NOT NULL,
  crc INTEGER NOT NULL,
  UNIQUE (hash, part)
) STRICT;

CREATE TABLE vector_bits (
  id INTEGER PRIMARY KEY REFERENCES vectors (id) ON DELETE CASCADE,
  bits BLOB NOT NULL
) STRICT;

-- The code graph. What a file uses hangs on its blob; edges on a tree, between paths and qualified
-- names, so that they outlive an edit of the file they lead to.
CREATE TABLE code_uses (
  blob INTEGER PRIMARY KEY REFERENCES blobs (id) ON DELETE CASCADE,
  uses BLOB NOT NULL
) STRICT;

CREATE TABLE graph_trees (
  id INTEGER PRIMARY KEY,
  tree TEXT NOT NULL UNIQUE,
  manifests BLOB NOT NULL
) STRICT;

CREATE TABLE graph_files (
  tree INTEGER NOT NULL REFERENCES graph_trees (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  blob INTEGER NOT NULL,
  interface BLOB NOT NULL,
  PRIMARY KEY (tree, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE graph_nodes (
  id INTEGER PRIMARY KEY,
  tree INTEGER NOT NULL REFERENCES graph_trees (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  UNIQUE (tree, path, name)
) STRICT;

CREATE TABLE graph_evidence (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE graph_edges (
  source INTEGER NOT NULL REFERENCES graph_nodes (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  target INTEGER NOT NULL REFERENCES graph_nodes (id) ON DELETE CASCADE,
  line INTEGER NOT NULL,
  confidence INTEGER NOT NULL,
  evidence INTEGER NOT NULL,
  PRIMARY KEY (source, kind, target, line)
) STRICT, WITHOUT ROWID;

CREATE INDEX graph_edges_by_target ON graph_edges (target, kind);
