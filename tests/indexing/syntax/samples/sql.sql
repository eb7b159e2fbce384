-- People who may log in.
CREATE TABLE IF NOT EXISTS app.users (
  id INTEGER PRIMARY KEY,
  name VARCHAR(10) NOT NULL,
  org_id INTEGER REFERENCES orgs (id)
);

CREATE UNIQUE INDEX users_by_name ON users (name);

CREATE VIEW active_users AS
SELECT u.id, upper(u.name) FROM users u JOIN orgs o ON o.id = u.org_id;

CREATE OR REPLACE FUNCTION add_one(a int) RETURNS int AS $$ SELECT a + 1; $$ LANGUAGE SQL;

CREATE TRIGGER users_changed BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION add_one();

CREATE TYPE mood AS ENUM ('glad', 'sad');

ALTER TABLE users ADD COLUMN age int;

INSERT INTO audit (id) VALUES (1);
