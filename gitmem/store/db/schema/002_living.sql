-- Canonical half, version 2: in which layer a memory lives, how far it is trusted, when it held,
-- what in the code it stands on, and which commits took the place of others.
ALTER TABLE memories ADD COLUMN layer TEXT NOT NULL DEFAULT '' CHECK (layer IN ('', 'working'));
ALTER TABLE memories ADD COLUMN trust TEXT NOT NULL DEFAULT ''
  CHECK (trust IN ('', 'person', 'accepted', 'agent', 'repository', 'foreign'));
ALTER TABLE memories ADD COLUMN valid_from INTEGER;
ALTER TABLE memories ADD COLUMN valid_until INTEGER;

CREATE INDEX memories_working ON memories (session, created_at) WHERE layer = 'working';
CREATE INDEX memories_by_commit ON memories (commit_id, branch);

CREATE TABLE anchors (
  memory TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  cited TEXT NOT NULL,
  path TEXT NOT NULL,
  first_line INTEGER,
  last_line INTEGER,
  symbol TEXT NOT NULL,
  blob TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  print TEXT NOT NULL,
  at INTEGER NOT NULL,
  device TEXT NOT NULL,
  counter INTEGER NOT NULL,
  PRIMARY KEY (memory, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX anchors_by_path ON anchors (path);

CREATE TABLE rewritten (
  old TEXT NOT NULL,
  new TEXT NOT NULL,
  how TEXT NOT NULL,
  at INTEGER NOT NULL,
  device TEXT NOT NULL,
  counter INTEGER NOT NULL,
  PRIMARY KEY (old, new)
) STRICT, WITHOUT ROWID;

CREATE INDEX rewritten_by_new ON rewritten (new);
