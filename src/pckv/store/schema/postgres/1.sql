-- Days are YYYY-MM-DD. Ids are compared byte by byte, as everywhere else, whatever the database's
-- language.
--
-- PostgreSQL keeps rows where they came, and each row knows its transaction (ctid, xmin). So a
-- reader of these files or a dump sees which reports and spent invitations came in one batch, though not
-- in which order inside it: rows are written in the order of their random keys. To forget that too
-- (a frozen row still has the number of its transaction):
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
    -- Whether its series was closed, and this round with it: it opens again with it.
    closed_with_series smallint NOT NULL DEFAULT 0,
    by_invitation smallint NOT NULL DEFAULT 0,
    reports_forgotten text,
    -- The day on which the task was put into the bin; it can be restored for some days.
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

-- The task or series that has a name, as devices compare names; rounds have that of their series, tasks in the
-- bin none.
CREATE TABLE surveys (
    survey text COLLATE "C" PRIMARY KEY,
    contract text COLLATE "C" NOT NULL
);

CREATE TABLE deletions (
    task text COLLATE "C" PRIMARY KEY,
    day text NOT NULL,
    reports bigint NOT NULL
);

-- Deleted reports that may still be in the files: of a deleted task, or of one whose reports were
-- forgotten. The mark says how to tell whether they are gone: the deleting transaction, and the files
-- of the tables at that moment.
CREATE TABLE erasures (
    task text COLLATE "C" PRIMARY KEY,
    mark text NOT NULL
);

-- No foreign key: an upload holds its task's row, and a check a report would double the cost.
CREATE TABLE reports (
    task bigint NOT NULL,
    id bytea NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (task, id)
);

-- A part's number is random, since a part of few reports could tell when those came. Its content is a
-- tally, or words that wait to be counted: as many as there are reports.
CREATE TABLE parts (
    task bigint NOT NULL REFERENCES tasks,
    number bigint NOT NULL,
    reports bigint NOT NULL,
    uncounted bigint NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (task, number)
);

-- How many reports of a task came on each day, in UTC. No column links a report to its day: reports
-- and parts have no day. A reader who sees from these files in which order batches came can count
-- them off against the days; the commands above forget that order.
CREATE TABLE report_days (
    task bigint NOT NULL REFERENCES tasks,
    day text COLLATE "C" NOT NULL,
    reports bigint NOT NULL,
    PRIMARY KEY (task, day)
);

-- The coin of an invitation that waits for its report; otherwise zeros.
CREATE TABLE invitations (
    task bigint NOT NULL REFERENCES tasks,
    hash bytea NOT NULL,
    spent smallint NOT NULL DEFAULT 0,
    coin bytea NOT NULL DEFAULT '\x00000000000000000000000000000000',
    PRIMARY KEY (task, hash)
);

CREATE TABLE tokens (
    role text NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (role, hash)
);

-- The people who are signed in, by the hash of a random cookie; the end is in seconds since 1970.
CREATE TABLE sessions (
    hash bytea PRIMARY KEY,
    token bytea NOT NULL,
    role text NOT NULL,
    expires bigint NOT NULL
);

-- The last check of a task's reports for alarms: when one began, and what the last one that ended found
-- (JSON; NULL before), when it began, and how many reports there were then. Times are in seconds since
-- 1970.
CREATE TABLE alarm_checks (
    task bigint PRIMARY KEY REFERENCES tasks,
    begun bigint NOT NULL,
    seconds bigint,
    reports bigint,
    result text
);

-- How far the collector is with the batch of each mixed task: whom it is sealed for (the public key), its
-- state, what the mixer said about it, what became of its entries, and when to try again (in seconds since
-- 1970) after how many failures. No entry is here, and no key that opens one.
CREATE TABLE fetched_batches (
    task bigint PRIMARY KEY REFERENCES tasks,
    key text COLLATE "C" NOT NULL,
    state text NOT NULL DEFAULT 'waiting',
    entries bigint,
    sha256 text,
    opened bigint,
    unreadable bigint,
    waiting bigint,
    asked text,
    reason text,
    failures bigint NOT NULL DEFAULT 0,
    next_try bigint NOT NULL DEFAULT 0
);

CREATE INDEX recipient_keys ON fetched_batches (key);

-- Forms of surveys that are not published yet. The last change has the highest turn; name and content are JSON.
CREATE TABLE drafts (
    id text COLLATE "C" PRIMARY KEY,
    turn bigint NOT NULL,
    changed text NOT NULL,
    name text NOT NULL,
    content text NOT NULL
);

-- Who runs the collector, as pages say it: one row at most.
CREATE TABLE organisation (
    number bigint PRIMARY KEY CHECK (number = 1),
    name text,
    logo_type text,
    logo bytea
);
