-- Canonical half: findings of reviews that somebody set aside, by a rule or by a place.
CREATE TABLE review_acceptances (
  -- A rule, or the id of a finding: a hash of its rule, its path and the code of its line, so that
  -- it fits no longer when the code changes.
  key TEXT PRIMARY KEY NOT NULL,
  rule TEXT NOT NULL,
  -- Empty for a rule.
  path TEXT NOT NULL,
  why TEXT NOT NULL,
  agent TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
