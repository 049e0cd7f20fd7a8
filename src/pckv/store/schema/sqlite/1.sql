-- Reports and invitations lie in the order of their random keys: no row number, no time. Within a page
-- of the file, reports lie partly in the order of their arrival; invitations do not. Days are
-- YYYY-MM-DD.
CREATE TABLE tasks (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    created TEXT NOT NULL,
    folded_name TEXT NOT NULL,
    opens TEXT,
    closes TEXT,
    closed TEXT,
    -- Whether its series was closed, and this round with it: it opens again with it.
    closed_with_series INTEGER NOT NULL DEFAULT 0,
    by_invitation INTEGER NOT NULL DEFAULT 0,
    reports_forgotten TEXT,
    -- The day on which the task was put into the bin; it can be restored for some days.
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

-- The task or series that has a name, as devices compare names; rounds have that of their series, tasks in the
-- bin none.
CREATE TABLE surveys (
    survey TEXT NOT NULL PRIMARY KEY,
    contract TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE deletions (
    task TEXT NOT NULL PRIMARY KEY,
    day TEXT NOT NULL,
    reports INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Deleted reports that may still be in the write-ahead log: of a deleted task, or of one whose reports
-- were forgotten. The mark is random and tells two deletions apart.
CREATE TABLE erasures (
    task TEXT NOT NULL PRIMARY KEY,
    mark TEXT NOT NULL
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

-- How many reports of a task came on each day, in UTC. Nothing links a report to its day: reports and
-- parts have no day. A reader who learns the order in which reports came, such as from the
-- write-ahead log before it is emptied, can count them off against the days.
CREATE TABLE report_days (
    task INTEGER NOT NULL REFERENCES tasks,
    day TEXT NOT NULL,
    reports INTEGER NOT NULL,
    PRIMARY KEY (task, day)
) STRICT, WITHOUT ROWID;

-- The coin of an invitation that waits for its report; otherwise zeros, not NULL: a row that keeps its
-- size keeps its place in the file, which so does not show the order in which invitations were spent.
CREATE TABLE invitations (
    task INTEGER NOT NULL REFERENCES tasks,
    hash BLOB NOT NULL,
    spent INTEGER NOT NULL DEFAULT 0,
    coin BLOB NOT NULL DEFAULT x'00000000000000000000000000000000',
    PRIMARY KEY (task, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
    role TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (role, hash)
) STRICT, WITHOUT ROWID;

-- The people who are signed in, by the hash of a random cookie; the end is in seconds since 1970.
CREATE TABLE sessions (
    hash BLOB NOT NULL PRIMARY KEY,
    token BLOB NOT NULL,
    role TEXT NOT NULL,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The last check of a task's reports for alarms: when one began, and what the last one that ended found
-- (JSON; NULL before), when it began, and how many reports there were then. Times are in seconds since
-- 1970.
CREATE TABLE alarm_checks (
    task INTEGER PRIMARY KEY REFERENCES tasks,
    begun INTEGER NOT NULL,
    seconds INTEGER,
    reports INTEGER,
    result TEXT
) STRICT;

-- How far the collector is with the batch of each mixed task: whom it is sealed for (the public key), its
-- state, what the mixer said about it, what became of its entries, and when to try again (in seconds since
-- 1970) after how many failures. No entry is here, and no key that opens one.
CREATE TABLE fetched_batches (
    task INTEGER PRIMARY KEY REFERENCES tasks,
    key TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting',
    entries INTEGER,
    sha256 TEXT,
    opened INTEGER,
    unreadable INTEGER,
    waiting INTEGER,
    asked TEXT,
    reason TEXT,
    failures INTEGER NOT NULL DEFAULT 0,
    next_try INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX recipient_keys ON fetched_batches (key);

-- Forms of surveys that are not published yet. The last change has the highest turn; name and content are JSON.
CREATE TABLE drafts (
    id TEXT NOT NULL PRIMARY KEY,
    turn INTEGER NOT NULL,
    changed TEXT NOT NULL,
    name TEXT NOT NULL,
    content TEXT NOT NULL
) STRICT;

-- Who runs the collector, as pages say it: one row at most.
CREATE TABLE organisation (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    name TEXT,
    logo_type TEXT,
    logo BLOB
) STRICT;
