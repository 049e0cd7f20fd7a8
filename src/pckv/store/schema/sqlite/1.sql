-- Reports and invitations lie in the order of their random keys: no row number, no time, no order of
-- arrival. Days are YYYY-MM-DD.
CREATE TABLE tasks (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    json TEXT NOT NULL,
    closed TEXT,
    by_invitation INTEGER NOT NULL DEFAULT 0,
    reports_forgotten TEXT
) STRICT;

CREATE TABLE deletions (
    task TEXT NOT NULL PRIMARY KEY,
    day TEXT NOT NULL,
    reports INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE reports (
    task INTEGER NOT NULL REFERENCES tasks,
    id BLOB NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (task, id)
) STRICT, WITHOUT ROWID;

-- A part's number is random, since a part of few reports could tell when those came. Its content is a
-- tally, or words that wait to be counted: as many as there are reports.
CREATE TABLE parts (
    task INTEGER NOT NULL REFERENCES tasks,
    number INTEGER NOT NULL,
    reports INTEGER NOT NULL,
    uncounted INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (task, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE invitations (
    task INTEGER NOT NULL REFERENCES tasks,
    hash BLOB NOT NULL,
    spent INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (task, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
    role TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (role, hash)
) STRICT, WITHOUT ROWID;
