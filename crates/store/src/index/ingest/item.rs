//! The rows of one item: item, sets, number claims, search text. They are written from the whole item, and the counts
//! are corrected by the previous row.

use std::collections::BTreeMap;

use model::item::{Item, ItemKind};
use model::number::NumberSpace;
use model::workflow::Workflow;
use rusqlite::{Connection, OptionalExtension, params};

use super::super::checksum::Checksum;
use super::super::item_table::{self, ITEM_COLUMNS, NewRow};
use super::super::numbers::Contested;
use super::super::row::{self, Doc, Workflows};
use super::super::visibility::Visibility;
use super::statements::RowStatement;
use super::{EntityScope, FoldedEntity, Ingest};

impl Ingest<'_> {
    pub(super) fn write_item(&mut self, one: &FoldedEntity, item: Item, workflow: &Workflow) -> rusqlite::Result<()> {
        let old = if one.is_new { None } else { self.read_old(one.key)? };
        let doc = Doc::of(&item, &one.entity);
        self.forget_other_claims(one, old.as_ref(), item.kind.space())?;
        self.write_claims(one, item.kind.space())?;
        let (state, category) = workflow.state_and_category(&item.status);
        let visibility = if item.deleted { Visibility::Deleted } else { state.into() };
        let first_claim = one.entity.claims().next().map_or(0, |(_, number)| number.cast_signed());
        let number = old.as_ref().map_or(first_claim, |old| old.number);
        let row = NewRow { key: one.key, number, state, category, visibility, item: &item, doc: &doc };
        let which = if one.is_new { RowStatement::InsertItem } else { RowStatement::ReplaceItem };
        item_table::write(self.statements.get(which)?, &row)?;
        self.write_sets(one.key, old.as_ref().map(|old| &old.doc), doc)?;
        if let Some(old) = &old {
            self.tally.add(old.kind, old.visibility, -1);
        }
        self.tally.add(item.kind, visibility, 1);
        self.gather_words(one.key, item, old.as_ref());
        Ok(())
    }

    // Only a forged creation moves an entity to another number space.
    fn forget_other_claims(
        &mut self,
        one: &FoldedEntity,
        old: Option<&PreviousRow>,
        space: NumberSpace,
    ) -> rusqlite::Result<()> {
        let was = old.map_or(NumberSpace::Person, |old| old.kind.space());
        if !one.is_new && was != space {
            self.connection.execute("DELETE FROM claim WHERE key = ?1", [one.key])?;
            self.found.contested.add(was);
            self.found.contested.add(space);
        }
        Ok(())
    }

    pub(super) fn write_claims(&mut self, one: &FoldedEntity, space: NumberSpace) -> rusqlite::Result<()> {
        // A batch of new entities meets no claim of theirs. They are checked together, once. In a contested space nothing
        // more is to be found out, and released claims on one number need not be skipped for every item.
        let which = if one.is_new { RowStatement::InsertClaim } else { RowStatement::MergeClaim };
        let is_checked = self.scope == EntityScope::Any && !self.found.contested.contains(space);
        let word = space.word();
        let mut n_claims = 0;
        let mut n_new = 0;
        let mut is_shared = false;
        for (stamp, number) in one.entity.all_claims() {
            let is_released = one.entity.is_released(stamp, number);
            let (number, lamport) = (number.cast_signed(), stamp.lamport.cast_signed());
            let insert = self.statements.get(which)?;
            n_new += insert.execute(params![word, number, lamport, stamp.id.as_bytes(), one.key, is_released])?;
            n_claims += 1;
            is_shared |= is_checked && !is_shared && is_claimed_twice(self.connection, word, number)?;
        }
        let is_contested = match space {
            NumberSpace::Person => n_new > 0,
            // An item without a claim has a provisional number, which any claim may take.
            _ => one.entity.claims().next().is_none() || n_new > 0 && (n_claims > 1 || is_shared),
        };
        if is_contested {
            self.found.contested.add(space);
        }
        Ok(())
    }

    // Only a forged creation turns an item into something else; its rows must be removed then.
    pub(super) fn remove_item(&mut self, key: i64) -> rusqlite::Result<()> {
        let Some(old) = self.read_old(key)? else { return Ok(()) };
        self.tally.add(old.kind, old.visibility, -1);
        // Its number becomes free for the next claim.
        self.found.contested.add(old.kind.space());
        self.write_sets(key, Some(&old.doc), Doc::default())?;
        for sql in [
            "DELETE FROM item WHERE key = ?1",
            "DELETE FROM body WHERE key = ?1",
            "DELETE FROM words WHERE rowid = ?1",
            "DELETE FROM claim WHERE key = ?1",
        ] {
            self.connection.execute(sql, [key])?;
        }
        Ok(())
    }

    fn read_old(&self, key: i64) -> rusqlite::Result<Option<PreviousRow>> {
        // Verify the old checksums, because values are copied into the new row and its new checksum would cover them.
        let sql = format!(
            "SELECT item.number, item.visibility, item.title, item.doc, body.description, body.comments, item.kind,
             sound(item.sum, {}), sound(body.sum, body.key, body.description)
             FROM item JOIN body USING (key) WHERE key = ?1",
            *ITEM_COLUMNS
        );
        let read = |row: &rusqlite::Row<'_>| {
            Ok(PreviousRow {
                kind: row::kind(row, 6)?,
                number: row.get(0)?,
                visibility: row.get(1)?,
                title: row.get(2)?,
                doc: Doc::read(row.get_ref(3)?.as_str()?)?,
                description: row.get(4)?,
                comments: row.get(5)?,
            })
        };
        self.connection.prepare_cached(&sql)?.query_row([key], read).optional()
    }

    /// Removes the old labels and links, and collects the new ones for `write_memberships`.
    fn write_sets(&mut self, key: i64, old: Option<&Doc>, new: Doc) -> rusqlite::Result<()> {
        for label in old.iter().flat_map(|old| &old.labels) {
            let sql = "DELETE FROM label WHERE label = ?1 AND key = ?2";
            self.connection.prepare_cached(sql)?.execute(params![label, key])?;
        }
        for (target, kind) in old.iter().flat_map(|old| old.links()) {
            let sql = "DELETE FROM link WHERE target = ?1 AND kind = ?2 AND key = ?3";
            self.connection.prepare_cached(sql)?.execute(params![target, kind, key])?;
        }
        self.memberships.links.extend(new.links().map(|(target, kind)| (target.to_owned(), kind, key)));
        self.memberships.labels.extend(new.labels.into_iter().map(|label| (label, key)));
        Ok(())
    }

    /// Writes the labels and links of the batch, in the order of their tables: a new row is then next to the last one.
    pub(super) fn write_memberships(&mut self) -> rusqlite::Result<()> {
        let Memberships { mut labels, mut links } = std::mem::take(&mut self.memberships);
        labels.sort_unstable();
        for (label, key) in labels {
            self.statements.get(RowStatement::AddLabel)?.execute(params![label, key])?;
        }
        links.sort_unstable();
        for (target, kind, key) in links {
            self.statements.get(RowStatement::AddLink)?.execute(params![target, kind, key])?;
        }
        Ok(())
    }

    // Most changes do not touch the text, and full-text indexing is the most expensive part of a write.
    fn gather_words(&mut self, key: i64, item: Item, old: Option<&PreviousRow>) {
        let bodies: Vec<&str> = item.comments.iter().map(|comment| comment.body.as_str()).collect();
        let comments = bodies.join("\n");
        let is_same = old.is_some_and(|old| {
            old.title == item.title
                && old.description == item.description
                && old.comments == comments
                && old.doc.labels == item.labels
        });
        if !is_same {
            let (labels, is_new) = (item.labels.join(" "), old.is_none());
            self.found.word_bytes += item.title.len() + item.description.len() + comments.len() + labels.len();
            self.found.words.push(SearchText {
                key,
                is_new,
                title: item.title,
                description: item.description,
                comments,
                labels,
            });
        }
    }

    pub(super) fn write_bodies(&mut self) -> rusqlite::Result<()> {
        for one in &self.found.words {
            let which = if one.is_new { RowStatement::InsertBody } else { RowStatement::ReplaceBody };
            let put = self.statements.get(which)?;
            let sum = Checksum::new().word(one.key.cast_unsigned()).bytes(one.description.as_bytes());
            put.execute(params![one.key, one.description, one.comments, sum.finish()])?;
        }
        Ok(())
    }

    // The category of a status changed, so all items with that status may have another visibility.
    pub(super) fn refresh_states(&self, workflows: &Workflows) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare("SELECT DISTINCT kind, status FROM item")?;
        let pairs: Vec<(ItemKind, String)> =
            statement.query_map((), |row| Ok((row::kind(row, 0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        for (kind, status) in pairs {
            let Some(workflow) = workflows.get(&kind) else { continue };
            let (state, category) = workflow.state_and_category(&status);
            let sql = "UPDATE item SET state = ?3, category = ?4,
                visibility = CASE visibility WHEN 'deleted' THEN 'deleted' ELSE ?5 END
                WHERE kind = ?1 AND status = ?2 AND (state <> ?3 OR category <> ?4)";
            let values = params![kind.name(), status, state.name(), category.name(), Visibility::from(state)];
            self.connection.execute(sql, values)?;
        }
        self.connection.execute_batch(
            "DELETE FROM tally; INSERT INTO tally SELECT kind, visibility, count(*) FROM item GROUP BY kind, visibility",
        )
    }
}

// Two are enough: a hostile push may claim one number for every item.
fn is_claimed_twice(connection: &Connection, space: &str, number: i64) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) > 1 FROM
        (SELECT 1 FROM claim WHERE space = ?1 AND number = ?2 AND released = 0 LIMIT 2)";
    connection.prepare_cached(sql)?.query_row(params![space, number], |row| row.get(0))
}

pub(super) fn find_contested(connection: &Connection) -> rusqlite::Result<Contested> {
    let mut contested = Contested::default();
    for space in NumberSpace::ALL {
        let sql =
            "SELECT EXISTS (SELECT 1 FROM claim WHERE space = ?1 AND released = 0 GROUP BY number HAVING count(*) > 1)";
        if connection.query_row(sql, [space.word()], |row| row.get::<_, bool>(0))? {
            contested.add(space);
        }
    }
    Ok(contested)
}

/// The text of an item, for the full-text index.
pub(crate) struct SearchText {
    key: i64,
    is_new: bool,
    title: String,
    description: String,
    comments: String,
    labels: String,
}

impl SearchText {
    /// Writes texts to the full-text index.
    pub(super) fn write_all(texts: &[Self], connection: &Connection) -> rusqlite::Result<()> {
        if texts.is_empty() {
            return Ok(());
        }
        let sql = "INSERT INTO words (rowid, title, description, comments, labels) VALUES (?1, ?2, ?3, ?4, ?5)";
        let mut insert = connection.prepare_cached(sql)?;
        for one in texts {
            if !one.is_new {
                connection.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([one.key])?;
            }
            insert.execute(params![one.key, one.title, one.description, one.comments, one.labels])?;
        }
        Ok(())
    }
}

/// The previous row of an item.
struct PreviousRow {
    kind: ItemKind,
    number: i64,
    visibility: Visibility,
    title: String,
    description: String,
    comments: String,
    doc: Doc,
}

/// New labels and links of items.
#[derive(Default)]
pub(super) struct Memberships {
    /// Label and item.
    labels: Vec<(String, i64)>,
    /// Target, kind of the link, and item.
    links: Vec<(String, &'static str, i64)>,
}

/// Changes of the number of items by kind and visibility.
#[derive(Default)]
pub(super) struct CountChanges(BTreeMap<(ItemKind, Visibility), i64>);

impl CountChanges {
    fn add(&mut self, kind: ItemKind, visibility: Visibility, n: i64) {
        *self.0.entry((kind, visibility)).or_default() += n;
    }

    pub(super) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let sql = "INSERT INTO tally VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET n = n + ?3";
        for ((kind, visibility), n) in &self.0 {
            connection.prepare_cached(sql)?.execute(params![kind.name(), visibility, n])?;
        }
        Ok(())
    }
}
