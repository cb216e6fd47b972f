//! Links between items, and from items to code.

use annotations::Annotated as _;
use app::Project;
use app::verb::LinkTarget;
use model::item_ref::ItemRef;
use schemars::JsonSchema;
use serde::Deserialize;

use super::precondition::ExpectedRevisions;
use super::reply;
use super::request::ApiRequest;
use super::route::{ApiState, HandlerResult};

/// A link of an item.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkBody {
    kind: Kind,
    /// The other item, by number or id; for `touches` code, as `path` or `path:anchor`.
    to: String,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[schemars(rename = "LinkKind")]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// The other item is blocked by this one.
    Blocks,
    /// The items are related.
    Relates,
    /// The other item is the parent of this one.
    Parent,
    /// This item is about this code.
    Touches,
}

impl LinkBody {
    fn target(self) -> LinkTarget {
        match self.kind {
            Kind::Blocks => LinkTarget::Blocks(ItemRef::parse(&self.to)),
            Kind::Relates => LinkTarget::Relates(ItemRef::parse(&self.to)),
            Kind::Parent => LinkTarget::Parent(ItemRef::parse(&self.to)),
            Kind::Touches => LinkTarget::Touches(self.to),
        }
    }
}

pub(super) async fn link(served: ApiState, request: ApiRequest) -> HandlerResult {
    connect(served, request, |project, id, target, revision| {
        if let LinkTarget::Touches(code) = target {
            project.annotations().check_touch(code)?;
        }
        project.link(id, target, revision)
    })
    .await
}

pub(super) async fn unlink(served: ApiState, request: ApiRequest) -> HandlerResult {
    connect(served, request, Project::unlink).await
}

type Verb = fn(&mut Project, &ItemRef, &LinkTarget, Option<&str>) -> Result<app::view::ItemView, app::Error>;

async fn connect(served: ApiState, request: ApiRequest, verb: Verb) -> HandlerResult {
    let (id, wanted) = (request.item()?, ExpectedRevisions::of(&request.headers)?);
    let target = request.body::<LinkBody>()?.target();
    let connected = served.shared.write(&request.principal, move |project| {
        let revision = wanted.revision(project, &id)?;
        verb(project, &id, &target, revision.as_deref())
    });
    reply::item(&connected.await?)
}
