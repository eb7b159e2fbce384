-- Derived half, memories: whatever stands here can be dropped and built again from them.
CREATE VIRTUAL TABLE memory_text USING fts5(
  title, body, tags, parts, near,
  content='', contentless_delete=1,
  tokenize="porter unicode61 remove_diacritics 2 tokenchars '_'"
);

CREATE TABLE memory_turns (
  seq INTEGER PRIMARY KEY,
  session TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE INDEX memory_turns_in_order ON memory_turns (session, at, seq);

CREATE TABLE memory_tags (
  tag TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (tag, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_tags_by_row ON memory_tags (seq);

CREATE TABLE memory_marks (
  seq INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  part INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX memory_marks_by_hash ON memory_marks (hash);
CREATE INDEX memory_marks_by_part ON memory_marks (part);

CREATE TABLE verdicts (
  memory TEXT NOT NULL,
  number INTEGER NOT NULL,
  tree TEXT NOT NULL,
  verdict TEXT NOT NULL,
  path TEXT NOT NULL,
  first_line INTEGER,
  last_line INTEGER,
  stamp TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (memory, number, tree)
) STRICT, WITHOUT ROWID;

CREATE TABLE elsewhere (
  tree TEXT NOT NULL,
  memory TEXT NOT NULL,
  PRIMARY KEY (tree, memory)
) STRICT, WITHOUT ROWID;

CREATE TABLE elsewhere_of (
  tree TEXT PRIMARY KEY NOT NULL,
  head TEXT NOT NULL,
  branch TEXT NOT NULL,
  stamp TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
