-- The store of a mixer. Days are YYYY-MM-DD. Ids are compared byte by byte, whatever the database's language.
--
-- PostgreSQL keeps rows where they came, and each row knows its transaction (ctid, xmin): a reader of these files or a
-- dump sees which sealed reports and spent invitations came in one commit, and in which order commits came, until all
-- rows were written by one transaction and lie in the order of their keys (a frozen row still has its number):
--     BEGIN; UPDATE reports SET task = task; UPDATE invitations SET task = task; COMMIT;
--     CLUSTER reports USING reports_pkey; CLUSTER invitations USING invitations_pkey;
CREATE TABLE tasks (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    json text NOT NULL,
    created text NOT NULL,
    folded_name text COLLATE "C" NOT NULL,
    opens text COLLATE "C",
    closes text COLLATE "C",
    closed text,
    closed_with_series smallint NOT NULL DEFAULT 0,
    by_invitation smallint NOT NULL DEFAULT 0,
    reports_forgotten text,
    binned text,
    target bigint,
    public_results smallint NOT NULL DEFAULT 0,
    -- Of a round of a series: the series, and which round it is.
    series text COLLATE "C",
    series_round bigint
);

CREATE INDEX rounds ON tasks (series, series_round) WHERE series IS NOT NULL;

CREATE TABLE series (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    json text NOT NULL,
    created text NOT NULL,
    closed text
);

-- The task or series that was accepted for a survey; the row stays when that is withdrawn.
CREATE TABLE surveys (
    survey text COLLATE "C" PRIMARY KEY,
    contract text NOT NULL
);

-- The hash of the recipient's token, by task or series.
CREATE TABLE recipients (
    contract text COLLATE "C" PRIMARY KEY,
    hash bytea NOT NULL
);

-- What became of the sealed reports of a task. How many wait is published as of the first moment of a day. The rest is
-- of a release: its day, how many reports left, the SHA-256 of all of them, and how many are on a page.
CREATE TABLE batches (
    task bigint PRIMARY KEY REFERENCES tasks,
    name text NOT NULL,
    least bigint NOT NULL,
    entries bigint NOT NULL DEFAULT 0,
    published bigint NOT NULL DEFAULT 0,
    published_day text NOT NULL,
    state text NOT NULL DEFAULT 'collecting',
    released text,
    count bigint,
    sha256 text,
    page_entries bigint,
    acknowledged smallint NOT NULL DEFAULT 0
);

-- A sealed report: its id is its SHA-256, its body all of its bytes. No foreign key: an upload holds its task's row.
CREATE TABLE reports (
    task bigint NOT NULL,
    id bytea NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (task, id)
);

-- A released batch: sealed reports one after the other, in the order that was drawn.
CREATE TABLE pages (
    task bigint NOT NULL REFERENCES tasks,
    number bigint NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (task, number)
);

-- The coin stays zeros: a mixer hands out none.
CREATE TABLE invitations (
    task bigint NOT NULL REFERENCES tasks,
    hash bytea NOT NULL,
    spent smallint NOT NULL DEFAULT 0,
    coin bytea NOT NULL DEFAULT '\x00000000000000000000000000000000',
    PRIMARY KEY (task, hash)
);

CREATE TABLE deletions (
    task text COLLATE "C" PRIMARY KEY,
    day text NOT NULL,
    reports bigint NOT NULL
);

-- Deleted rows that may still be in the files. The mark says how to tell whether they are gone: the deleting
-- transaction, and the files of the tables at that moment.
CREATE TABLE erasures (
    task text COLLATE "C" PRIMARY KEY,
    mark text NOT NULL
);

CREATE TABLE tokens (
    role text NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (role, hash)
);

-- The operators who are signed in; the end is in seconds since 1970.
CREATE TABLE sessions (
    hash bytea PRIMARY KEY,
    token bytea NOT NULL,
    role text NOT NULL,
    expires bigint NOT NULL
);
