-- Canonical half: what a model wrote of parts of conversations, by the hash of what it was sent, so
-- that the same text is never sent again. Goes with its conversation, and no copy has it.
CREATE TABLE conversation_summaries (
  hash BLOB PRIMARY KEY NOT NULL,
  conversation TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX conversation_summaries_by_conversation ON conversation_summaries (conversation);
