//! Moves on a board, and the same change to several items.

use app::verb::{MoveTo, Placement};
use app::view::ItemView;
use app::{ChangeSet, Error};
use model::item_ref::ItemRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fields::{Fields, MAX_LIMIT};
use super::items::{unknown_names, with_hint};
use super::precondition::ExpectedRevisions;
use super::reply;
use super::request::ApiRequest;
use super::route::{ApiState, HandlerResult};
use crate::problem::Problem;

/// A place on a board. At most one of `to`, `before` and `after`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PlaceBody {
    /// One end of the order.
    to: Option<End>,
    /// Directly before this item, by number or id.
    before: Option<String>,
    /// Directly after this item, by number or id.
    after: Option<String>,
    /// Fields that the column or lane stands for, such as the status.
    #[serde(default)]
    fields: Fields,
}

/// An end of the order of cards.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum End {
    /// Before all others.
    Top,
    /// After all others.
    Bottom,
}

/// The same changes to several items.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct BulkBody {
    /// The items, by number or id; at most 200.
    items: Vec<String>,
    #[serde(default)]
    fields: Fields,
    #[serde(default)]
    add_labels: Vec<String>,
    #[serde(default)]
    remove_labels: Vec<String>,
    /// Accept people that nobody has named before, and labels that are not declared although others are.
    #[serde(default)]
    create: bool,
}

/// The changed items.
#[derive(Serialize, JsonSchema)]
pub(super) struct ItemsView {
    /// The items, in the given order.
    items: Vec<ItemView>,
}

impl PlaceBody {
    fn placement(self) -> Result<Placement, Problem> {
        let end = self.to.map(|end| match end {
            End::Top => MoveTo::Top,
            End::Bottom => MoveTo::Bottom,
        });
        let before = self.before.map(|id| MoveTo::Before(ItemRef::parse(&id)));
        let after = self.after.map(|id| MoveTo::After(ItemRef::parse(&id)));
        let mut given = [end, before, after].into_iter().flatten();
        let to = given.next();
        if given.next().is_some() {
            return Err(Problem::invalid("`to`, `before` and `after` exclude each other").hint("give one of them"));
        }
        Ok(Placement { to, set: ChangeSet::of_fields(self.fields.parse()?) })
    }
}

pub(super) async fn place(served: ApiState, request: ApiRequest) -> HandlerResult {
    let (id, wanted) = (request.item()?, ExpectedRevisions::of(&request.headers)?);
    let mut placement = request.body::<PlaceBody>()?.placement()?;
    let placed = served.shared.write(&request.principal, move |project| {
        placement.set.if_unchanged = wanted.revision(project, &id)?;
        project.place(&id, &placement)
    });
    reply::item(&placed.await?)
}

pub(super) async fn edit_all(served: ApiState, request: ApiRequest) -> HandlerResult {
    let body: BulkBody = request.body()?;
    if body.items.is_empty() || body.items.len() > MAX_LIMIT as usize {
        return Err(Problem::invalid(format!("{} items are given; it may be 1 to {MAX_LIMIT}", body.items.len())));
    }
    let mut set = ChangeSet {
        fields: body.fields.parse()?,
        add_labels: body.add_labels,
        remove_labels: body.remove_labels,
        ..ChangeSet::default()
    };
    let ids: Vec<ItemRef> = body.items.iter().map(|id| ItemRef::parse(id)).collect();
    let changed = served.shared.write(&request.principal, move |project| {
        project.check_changed_names(&mut set, unknown_names(body.create)).map_err(with_hint)?;
        project.edit(&ids, &set)
    });
    let items: Result<Vec<ItemView>, Error> = changed.await;
    reply::json(&ItemsView { items: items? })
}
