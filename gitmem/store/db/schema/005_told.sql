-- Canonical half: what may be told unasked, found without reading what may not. An import of 50,000
-- foreign memories would else be read three times at the start of each session.
CREATE INDEX memories_told ON memories (created_at) WHERE trust <> 'foreign';
CREATE INDEX memories_told_by_update ON memories (updated_at) WHERE trust <> 'foreign';
CREATE INDEX memories_told_by_kind ON memories (kind, created_at) WHERE trust <> 'foreign';
