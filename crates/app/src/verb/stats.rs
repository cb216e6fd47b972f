//! Statistics of the project.

use std::collections::HashMap;
use std::path::Path;

use jiff::ToSpan;
use model::item::ItemKind;

use super::list::ListOptions;
use crate::error::Error;
use crate::project::Project;
use crate::view::{StatsKindView, StatsView};

impl Project {
    /// Counts items, operations and people.
    pub fn stats(&self) -> Result<StatsView, Error> {
        let index = self.index();
        let in_use = index.statuses_in_use()?;
        let mut kinds = Vec::new();
        for tally in index.tallies()? {
            let count = |status: &str| -> u64 {
                let own = in_use.iter().filter(|one| one.kind == tally.kind && one.status == status);
                own.map(|one| one.n_items).sum()
            };
            let workflow = index.workflow(tally.kind)?;
            kinds.push(StatsKindView {
                kind: tally.kind,
                open: tally.open,
                closed: tally.closed,
                deleted: tally.deleted,
                statuses: workflow.statuses().iter().map(|status| (status.name.clone(), count(&status.name))).collect(),
            });
        }
        Ok(StatsView {
            kinds,
            operations: index.n_ops()?,
            closed_last_week: self.closed_since(7)?,
            closed_last_month: self.closed_since(30)?,
            people: index.people_seen()?.len(),
            labels: index.labels()?.len(),
            index_bytes: self.index_bytes(),
        })
    }

    /// Counts the open issues of each milestone, by the milestone's id; milestones without any are left out.
    pub fn open_issues_by_milestone(&self) -> Result<HashMap<String, u64>, Error> {
        Ok(self.index().open_by_milestone(ItemKind::Issue)?)
    }

    // The newest changes are in the WAL file beside it.
    fn index_bytes(&self) -> u64 {
        let Some(path) = store::Store::index_file(self.store.repository()) else { return 0 };
        let mut log = path.clone().into_os_string();
        log.push("-wal");
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        size(&path) + size(Path::new(&log))
    }

    fn closed_since(&self, n_days: i64) -> Result<u64, Error> {
        let today = (self.env.today)();
        let first = today.checked_sub(n_days.days()).unwrap_or(today);
        let work = ItemKind::ALL.into_iter().filter(|kind| kind.is_work());
        let options = ListOptions {
            kinds: work.collect(),
            filter: Some(format!("state == closed and completed >= {first}")),
            limit: Some(0),
            ..ListOptions::default()
        };
        Ok(self.list(&options)?.total)
    }
}
