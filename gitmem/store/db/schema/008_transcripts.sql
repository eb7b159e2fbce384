-- Canonical half: what was said in the sessions of agents' hosts, if the user had them read. It is
-- personal, and read again from the hosts' files: no export and no copy outside the file has it.
CREATE TABLE conversations (
  id TEXT PRIMARY KEY NOT NULL,
  host TEXT NOT NULL,
  session TEXT NOT NULL,
  folder TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  branch TEXT NOT NULL,
  summary TEXT NOT NULL,
  source TEXT NOT NULL UNIQUE,
  seal BLOB NOT NULL,
  -- Size, time and hash of the source when it was read, and of the reader: outside the seal.
  stamp TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX conversations_by_time ON conversations (started_at);
-- With the time: of two texts, a salvage could take a host's id for a note of the store.
CREATE INDEX conversations_by_session ON conversations (session, started_at);

CREATE TABLE exchanges (
  seq INTEGER PRIMARY KEY,
  conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  user TEXT NOT NULL,
  assistant TEXT NOT NULL,
  tools TEXT NOT NULL,
  at INTEGER NOT NULL,
  parent TEXT NOT NULL,
  model TEXT NOT NULL,
  -- Of the text that is embedded.
  hash BLOB NOT NULL,
  seal BLOB NOT NULL,
  UNIQUE (conversation, number)
) STRICT;

CREATE INDEX exchanges_by_time ON exchanges (at);
CREATE INDEX exchanges_by_hash ON exchanges (hash);

-- The files that tools of an exchange were given.
CREATE TABLE exchange_paths (
  path TEXT NOT NULL,
  exchange INTEGER NOT NULL REFERENCES exchanges (seq) ON DELETE CASCADE,
  PRIMARY KEY (path, exchange)
) STRICT, WITHOUT ROWID;

CREATE INDEX exchange_paths_by_exchange ON exchange_paths (exchange);

CREATE VIRTUAL TABLE exchange_text USING fts5(
  user, assistant, paths, parts,
  content='', contentless_delete=1,
  tokenize="porter unicode61 remove_diacritics 2 tokenchars '_'"
);
