//! Brings the work of a project there here. Lists say which items are new or changed; only those are read whole. They are
//! written in batches, so that a run that is cut off has not worked in vain and the next one goes on from there.

mod gone;
mod item;
mod prepare;

use std::collections::{BTreeMap, BTreeSet};

use model::id::EntityId;
use store::{Step, Steps};

use super::here::{self, Here};
use super::kind::Kind;
use super::line::{Line, trouble};
use super::push::intents;
use super::remote::{self, Remote};
use super::setting::{self, Setting};
use super::shape::Key;
use super::terms::Terms;
use super::{Progress, PullOptions, Target, comments, report};
use crate::error::Error;
use crate::project::{Desk, Project};
use crate::view::BridgeView;

/// How many items are written at once.
const BATCH: usize = 50;

/// An item there, whole, with what is said on it.
pub(super) struct Whole {
    remote: Remote,
    comments: Vec<taiga::dto::Comment>,
}

/// What a run works on.
struct Pull<'a> {
    line: Line<'a>,
    options: &'a PullOptions,
    setting: Setting,
    /// Items in which the other side counts.
    taken: BTreeSet<EntityId>,
    report: BridgeView,
}

pub(super) fn run(
    project: &mut Project,
    target: &Target,
    options: &PullOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<BridgeView, Error> {
    let line = Line::new(&target.client, options.longest_pause);
    let mut here = here::all(project.index())?;
    let setting = setting::gather(project, target, &line, &here)?;
    let mut report = report::empty(&setting.terms.far, &setting.project, options.dry_run);
    let taken = named(project, &options.take_remote)?;
    let mut lists = BTreeMap::new();
    for (n, kind) in Kind::WORK.into_iter().enumerate() {
        progress(Progress { stage: "listing", done: n, total: Kind::WORK.len() });
        lists.insert(kind, line.ask(|client| remote::list(client, kind, setting.terms.far.project)).map_err(trouble)?);
    }
    let mut setting = setting;
    report.adopted = intents::adopt(project, &mut setting, &mut here, &lists, options.dry_run)?;
    let mut pull = Pull { line, options, setting, taken, report };
    pull.drop_twins(project, &mut here)?;
    let rows: Vec<Remote> = lists.into_values().flatten().collect();
    pull.prepare(project, &here, &rows)?;
    pull.bring(project, &here, &rows, progress)?;
    pull.follow_deletions(project, &here, &rows, progress)?;
    Ok(pull.report)
}

/// Finds the items a person named.
pub(super) fn named(project: &Project, names: &[String]) -> Result<BTreeSet<EntityId>, Error> {
    names.iter().map(|name| Ok(project.find(name)?.item.id)).collect()
}

impl Pull<'_> {
    fn terms(&self) -> &Terms {
        &self.setting.terms
    }

    /// Reads what is new or changed, and takes it in.
    fn bring(
        &mut self,
        project: &mut Project,
        here: &[Here],
        rows: &[Remote],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), Error> {
        let known: BTreeMap<EntityId, &Here> = here.iter().map(|item| (item.id(), item)).collect();
        let needed: Vec<&Remote> = rows.iter().filter(|row| self.needs_reading(&known, row)).collect();
        self.report.unchanged = rows.len() - needed.len();
        let highest = rows.iter().filter_map(|row| row.core().reference).max().unwrap_or(0);
        for (n, batch) in needed.chunks(BATCH).enumerate() {
            progress(Progress { stage: "pulling", done: n * BATCH, total: needed.len() });
            let wholes = self.line.ask_all(batch, |client, row| whole(client, row)).map_err(trouble)?;
            let wholes: Vec<Whole> = wholes.into_iter().flatten().collect();
            self.take_in(project, &wholes, highest)?;
        }
        progress(Progress { stage: "pulling", done: needed.len(), total: needed.len() });
        Ok(())
    }

    /// Tells whether a row of a list says that there is something new about the item.
    fn needs_reading(&self, known: &BTreeMap<EntityId, &Here>, row: &Remote) -> bool {
        let id = self.terms().ids.here(row.kind(), row.id());
        let Some(item) = id.and_then(|id| known.get(&id)) else { return true };
        let Some(link) = item.link_to(&self.terms().far) else { return true };
        // Some things change without a new version: the epics of a story, the sprint when a sprint is deleted.
        let shape = self.terms().of_remote(row, item.row.item.parent);
        let is_same =
            shape.iter().filter(|(key, _)| **key != Key::Description).all(|(key, value)| link.base.is(key, value));
        link.version != row.core().version || !is_same
    }

    /// Writes a batch, or in a dry run only decides what would be written.
    fn take_in(&mut self, project: &mut Project, wholes: &[Whole], highest: u64) -> Result<(), Error> {
        let decide = |desk: &Desk<'_>| -> Result<(Vec<Step>, BridgeView), Error> {
            let mut news =
                BridgeView { created: Vec::new(), changed: Vec::new(), conflicts: Vec::new(), ..self.blank() };
            let mut numbers = item::Numbers::new(desk.index, highest);
            let mut steps = Vec::new();
            for whole in wholes {
                let taken = &self.taken;
                steps.extend(item::take(&self.setting, desk, whole, taken, &mut numbers, &mut news)?);
            }
            Ok((steps, news))
        };
        let news = if self.options.dry_run {
            project.look(|desk| Ok(decide(desk)?.1))?
        } else {
            project.write_steps(|desk| {
                let (steps, news) = decide(desk)?;
                let n_items = wholes.len();
                let subject = format!("taiga: pull {n_items} items from `{}`", self.report.project.slug);
                Ok((Steps { subject, steps }, news))
            })?
        };
        self.report.created.extend(news.created);
        self.report.changed.extend(news.changed);
        self.report.conflicts.extend(news.conflicts);
        self.report.left.extend(news.left);
        self.report.unchanged += news.unchanged;
        Ok(())
    }

    fn blank(&self) -> BridgeView {
        report::empty(&self.terms().far, &self.setting.project, self.options.dry_run)
    }
}

/// Reads an item whole; none if it was deleted since the list was made.
fn whole(client: &taiga::Client, row: &Remote) -> Result<Option<Whole>, taiga::Error> {
    let remote = match remote::get(client, row.kind(), row.id()) {
        Err(error) if super::line::is_absent(&error) => return Ok(None),
        other => other?,
    };
    let comments = match (row.kind().remote(), remote.core().total_comments) {
        (None, _) | (_, Some(0)) => Vec::new(),
        (Some(kind), _) => comments::fetch(client, kind, row.id())?,
    };
    Ok(Some(Whole { remote, comments }))
}
