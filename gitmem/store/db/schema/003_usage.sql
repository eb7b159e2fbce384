-- Canonical half, version 3: how often what was used, by day and agent. Local: no export has it.
CREATE TABLE usage_days (
  day INTEGER NOT NULL,
  agent TEXT NOT NULL,
  what TEXT NOT NULL,
  n INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  saved INTEGER NOT NULL,
  PRIMARY KEY (day, agent, what)
) STRICT, WITHOUT ROWID;
