-- One row: the key that signs the sessions of people who sign in, the same for all collectors.
CREATE TABLE session_keys (
    number smallint PRIMARY KEY CHECK (number = 1),
    key bytea NOT NULL
);
