-- The store of a mixer. Sealed reports lie in the order of their SHA-256: no row number, no time, no address. Within a
-- page of the file they lie partly in the order of their arrival until they are released. Days are YYYY-MM-DD.
--
-- Tasks and series have the columns of a collector's, so that both share their transactions: a mixer leaves
-- reports_forgotten, binned, target and public_results as they are.
CREATE TABLE tasks (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    created TEXT NOT NULL,
    folded_name TEXT NOT NULL,
    opens TEXT,
    closes TEXT,
    closed TEXT,
    closed_with_series INTEGER NOT NULL DEFAULT 0,
    by_invitation INTEGER NOT NULL DEFAULT 0,
    reports_forgotten TEXT,
    binned TEXT,
    target INTEGER,
    public_results INTEGER NOT NULL DEFAULT 0,
    -- Of a round of a series: the series, and which round it is.
    series TEXT,
    series_round INTEGER,
    -- The last column, since it may be large: the others are read without it.
    json TEXT NOT NULL
) STRICT;

CREATE INDEX rounds ON tasks (series, series_round) WHERE series IS NOT NULL;

CREATE TABLE series (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    created TEXT NOT NULL,
    closed TEXT,
    json TEXT NOT NULL
) STRICT;

-- The task or series that was accepted for a survey; the row stays when that is withdrawn.
CREATE TABLE surveys (
    survey TEXT NOT NULL PRIMARY KEY,
    contract TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The hash of the recipient's token, by task or series.
CREATE TABLE recipients (
    contract TEXT NOT NULL PRIMARY KEY,
    hash BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- What became of the sealed reports of a task. How many wait is published as of the first moment of a day. The rest is
-- of a release: its day, how many reports left, the SHA-256 of all of them, and how many are on a page.
CREATE TABLE batches (
    task INTEGER PRIMARY KEY REFERENCES tasks,
    name TEXT NOT NULL,
    least INTEGER NOT NULL,
    entries INTEGER NOT NULL DEFAULT 0,
    published INTEGER NOT NULL DEFAULT 0,
    published_day TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'collecting',
    released TEXT,
    count INTEGER,
    sha256 TEXT,
    page_entries INTEGER,
    acknowledged INTEGER NOT NULL DEFAULT 0
) STRICT;

-- A sealed report: its id is its SHA-256, its body all of its bytes.
CREATE TABLE reports (
    task INTEGER NOT NULL REFERENCES tasks,
    id BLOB NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (task, id)
) STRICT, WITHOUT ROWID;

-- A released batch: sealed reports one after the other, in the order that was drawn.
CREATE TABLE pages (
    task INTEGER NOT NULL REFERENCES tasks,
    number INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (task, number)
) STRICT, WITHOUT ROWID;

-- The coin stays zeros: a mixer hands out none.
CREATE TABLE invitations (
    task INTEGER NOT NULL REFERENCES tasks,
    hash BLOB NOT NULL,
    spent INTEGER NOT NULL DEFAULT 0,
    coin BLOB NOT NULL DEFAULT x'00000000000000000000000000000000',
    PRIMARY KEY (task, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE deletions (
    task TEXT NOT NULL PRIMARY KEY,
    day TEXT NOT NULL,
    reports INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Deleted rows that may still be in the write-ahead log. The mark is random and tells two deletions apart.
CREATE TABLE erasures (
    task TEXT NOT NULL PRIMARY KEY,
    mark TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
    role TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (role, hash)
) STRICT, WITHOUT ROWID;

-- The operators who are signed in; the end is in seconds since 1970.
CREATE TABLE sessions (
    hash BLOB NOT NULL PRIMARY KEY,
    token BLOB NOT NULL,
    role TEXT NOT NULL,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
