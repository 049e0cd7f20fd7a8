-- One row: the key that signs the sessions of people who sign in, the same for all collectors.
CREATE TABLE session_keys (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    key BLOB NOT NULL
) STRICT;
