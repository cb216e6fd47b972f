//! The tables of the index. A change here increments `VERSION`, and an index of another version is rebuilt.

/// Stored in `PRAGMA user_version`.
pub(super) const VERSION: i64 = 19;

/// Size of the key space of one entity's operations: the low bits of `op.key`.
pub(super) const OPS_PER_ENTITY: i64 = 1 << 20;

/// Maximum number of operations of one entity that are ingested.
pub(super) const OPS_PER_ENTITY_LIMIT: i64 = crate::format::OPS_PER_ENTITY_LIMIT;
const _: () = assert!(OPS_PER_ENTITY_LIMIT <= OPS_PER_ENTITY);

/// The low bits of `region.key` number the regions of one note.
const REGION_BITS: u32 = 20;
/// Size of the key space of one note's regions.
pub(super) const REGIONS_PER_NOTE: i64 = 1 << REGION_BITS;
const _: () = assert!(crate::format::annotation::MAX_REGIONS < 1 << REGION_BITS);

/// All tables but `item`, which `item_table` defines.
pub(super) const TABLES: &str = "
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- Every commit the index has taken in, with the highest clock at or below it.
CREATE TABLE seen (id BLOB PRIMARY KEY, clock INTEGER NOT NULL) WITHOUT ROWID;

-- Objects that were missing or damaged, and what they are part of: `log` or `notes`. Every command looks whether one of
-- them has come back, and then reads all of that part anew. `commit_id` is the commit that needs the object.
CREATE TABLE unread (part TEXT NOT NULL, object BLOB NOT NULL, commit_id BLOB NOT NULL, PRIMARY KEY (part, object))
    WITHOUT ROWID;

-- What was passed over, and why.
CREATE TABLE warning (place TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (place, text)) WITHOUT ROWID;

CREATE TABLE entity (
    key INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    kind TEXT NOT NULL,          -- empty until the creation has arrived
    lamport INTEGER NOT NULL,    -- of the creation
    op BLOB NOT NULL,            -- of the creation
    n_ops INTEGER NOT NULL
);

-- The operations as they stand in the log. key = entity * 2^20 + n: an entity's operations lie side by side, in one
-- B-tree, and a range of keys reads them.
CREATE TABLE op (key INTEGER PRIMARY KEY, line BLOB NOT NULL, sum INTEGER NOT NULL);

-- `sum` is of the key and the description: what is shown of it.
CREATE TABLE body (key INTEGER PRIMARY KEY, description TEXT NOT NULL, comments TEXT NOT NULL, sum INTEGER NOT NULL);
CREATE TABLE label (label TEXT NOT NULL, key INTEGER NOT NULL, PRIMARY KEY (label, key)) WITHOUT ROWID;
CREATE TABLE link (target TEXT NOT NULL, kind TEXT NOT NULL, key INTEGER NOT NULL, PRIMARY KEY (target, kind, key))
    WITHOUT ROWID;
-- A released claim no longer counts; it tells who had the number once.
CREATE TABLE claim (space TEXT NOT NULL, number INTEGER NOT NULL, lamport INTEGER NOT NULL, op BLOB NOT NULL,
    key INTEGER NOT NULL, released INTEGER NOT NULL, PRIMARY KEY (space, number, lamport, op, key)) WITHOUT ROWID;
-- Everyone who is a member, or wrote or was ever assigned an item, with the operation that named them first.
CREATE TABLE person (id BLOB PRIMARY KEY, lamport INTEGER NOT NULL, op BLOB NOT NULL, number INTEGER NOT NULL)
    WITHOUT ROWID;
-- How many items there are, so that a list need not count.
CREATE TABLE tally (kind TEXT NOT NULL, visibility TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (kind, visibility))
    WITHOUT ROWID;
CREATE TABLE member (key INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL,
    username TEXT NOT NULL, role TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 (title, description, comments, labels, content = '', contentless_delete = 1,
    tokenize = 'unicode61 remove_diacritics 2');
-- How many bytes of words are gathered before they are written out: a first build is then sorted once, not merged
-- over and over.
INSERT INTO words (words, rank) VALUES ('hashsize', 33554432);

-- The annotated commits, with what is wrong with notes that cannot be read.
-- A key is never used again (AUTOINCREMENT): a higher one means a later note.
CREATE TABLE note (key INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, blob BLOB NOT NULL,
    operation TEXT NOT NULL, broken TEXT);
CREATE INDEX note_broken ON note (id) WHERE broken IS NOT NULL;
-- What notes say, by place. key = note * 2^20 + n: the regions of a note lie side by side.
CREATE TABLE region (
    key INTEGER PRIMARY KEY,
    file TEXT NOT NULL,
    anchor TEXT NOT NULL,
    kind TEXT NOT NULL,
    signature TEXT,
    first INTEGER,               -- line, NULL when it names none
    last INTEGER,
    at TEXT,
    context TEXT NOT NULL,
    n_flags INTEGER NOT NULL,
    knowledge TEXT NOT NULL,     -- reason, dead_end, convention
    superseded INTEGER NOT NULL,
    until TEXT                   -- the last day it holds
);
CREATE INDEX region_file ON region (file, anchor);
CREATE INDEX region_anchor ON region (anchor);
-- What regions assume about other code, by that code. `tail` is the last part of the anchor's name.
CREATE TABLE dependency (file TEXT NOT NULL, tail TEXT NOT NULL, region INTEGER NOT NULL, n INTEGER NOT NULL,
    anchor TEXT NOT NULL, nature TEXT NOT NULL, PRIMARY KEY (file, tail, region, n)) WITHOUT ROWID;
CREATE INDEX dependency_region ON dependency (region);
CREATE INDEX dependency_tail ON dependency (tail);

-- The checksums of the tables below, each of all its rows: see `cached_facts`.
CREATE TABLE cache_sum (name TEXT PRIMARY KEY, sum INTEGER NOT NULL) WITHOUT ROWID;

-- What git said of lines: of which file at which commit, under which settings, and hunk by hunk.
CREATE TABLE blamed (key INTEGER PRIMARY KEY, id BLOB NOT NULL, path BLOB NOT NULL, settings INTEGER NOT NULL,
    UNIQUE (id, path, settings));
CREATE TABLE blame (file INTEGER NOT NULL, first INTEGER NOT NULL, n INTEGER NOT NULL, source BLOB NOT NULL,
    source_path BLOB NOT NULL, source_first INTEGER NOT NULL, PRIMARY KEY (file, first)) WITHOUT ROWID;

-- Commits that created a file (`before` is NULL) or renamed it, older ones first: exactly those of the history of the
-- commit that `meta` names as `event_tip`.
CREATE TABLE file_event (key INTEGER PRIMARY KEY, id BLOB NOT NULL, before TEXT, after TEXT NOT NULL);
CREATE INDEX file_event_id ON file_event (id);
CREATE INDEX file_event_after ON file_event (after);
CREATE INDEX file_event_before ON file_event (before) WHERE before IS NOT NULL;
-- Commits whose messages mention items, by number: all of the default branch (`is_merged`), and those of `HEAD` beyond
-- it. `meta` names as `mentions` what they were read from.
CREATE TABLE mention (number INTEGER NOT NULL, id BLOB NOT NULL, closes INTEGER NOT NULL, is_merged INTEGER NOT NULL,
    authored INTEGER NOT NULL, committed INTEGER NOT NULL, author TEXT NOT NULL, subject TEXT NOT NULL,
    PRIMARY KEY (number, id)) WITHOUT ROWID;
CREATE INDEX mention_id ON mention (id);
CREATE INDEX mention_closes ON mention (authored) WHERE is_merged = 1 AND closes = 1;
-- Where an item was over time, as of its first `n_ops` operations: see `courses`.
CREATE TABLE course (key INTEGER PRIMARY KEY, n_ops INTEGER NOT NULL, places TEXT NOT NULL);
-- Whether one commit is reachable from another: a fact that never changes.
CREATE TABLE ancestry (old BLOB NOT NULL, new BLOB NOT NULL, is_ancestor INTEGER NOT NULL, PRIMARY KEY (old, new))
    WITHOUT ROWID;
-- The symbols of a file, by its content, encoded by the caller; the oldest have the lowest keys. `sum` is of the row.
CREATE TABLE outline (key INTEGER PRIMARY KEY, blob BLOB NOT NULL, language TEXT NOT NULL, version INTEGER NOT NULL,
    symbols BLOB NOT NULL, sum INTEGER NOT NULL, UNIQUE (blob, language));
-- For a name, the keys of its regions whose code was no longer where it was recorded, 8 bytes each.
CREATE TABLE stray (anchor TEXT PRIMARY KEY, id BLOB NOT NULL, last_note INTEGER NOT NULL, regions BLOB NOT NULL)
    WITHOUT ROWID;
-- For a commit, the annotated commits that are not reachable from it, joined; notes up to `last_note` were looked at.
CREATE TABLE unreached (key INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, last_note INTEGER NOT NULL,
    commits BLOB NOT NULL);
";

/// The SQL indexes, created after a first build: sorting once is cheaper than inserting in order.
pub(super) const INDEXES: &str = "
CREATE INDEX item_id ON item (id);
CREATE INDEX item_number ON item (number);
-- Lists of one kind go on from a number without passing over the others.
CREATE INDEX item_kind ON item (kind, number);
CREATE INDEX item_updated ON item (visibility, updated DESC, id);
-- What could be taken, in the order `ready` asks for it; all that is asked of an item stands in it.
CREATE INDEX item_ready ON item (priority DESC, number, id, kind, visibility, category, blocked)
    WHERE visibility = 'open' AND category = 'todo' AND blocked = 0;
-- What a board, a milestone, an epic and a person is counted and sorted by stands in the index itself, so that a page about
-- one of fifty thousand items does not read fifty thousand rows. None is partial: `INDEXED BY` must hold for every filter,
-- and SQLite cannot use a partial index for one that it reduces to false.
CREATE INDEX item_board ON item (board, visibility, kind, status, rank, number, id);
CREATE INDEX item_milestone ON item (milestone, category, visibility, kind, state, due, blocked, priority, rank, number, id);
CREATE INDEX item_assigned ON item (assigned, visibility, kind);
-- What was finished since a day.
CREATE INDEX item_completed ON item (completed, visibility, kind, started, parent) WHERE completed IS NOT NULL;
-- The order of cards, which a move goes through from one neighbour to the next.
CREATE INDEX item_rank ON item (rank_key(rank, number), id);
CREATE INDEX item_parent ON item (parent, category, visibility, kind, rank, number, id);
";
