//! The labels that the team declared.

use app::verb::LabelChange;
use model::patch::Patch;
use schemars::JsonSchema;
use serde::Deserialize;

use super::reply;
use super::request::ApiRequest;
use super::route::{ApiState, HandlerResult};

/// The declaration of a label; absent properties stay.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LabelBody {
    /// The label.
    name: String,
    /// `#rrggbb`, or the name of a color; empty for none.
    #[serde(default)]
    color: Option<String>,
    /// When to use it; one line.
    #[serde(default)]
    about: Option<String>,
}

pub(super) async fn list(served: ApiState, request: ApiRequest) -> HandlerResult {
    reply::tagged(&request.headers, &served.shared.read(app::Project::labels).await?)
}

pub(super) async fn define(served: ApiState, request: ApiRequest) -> HandlerResult {
    let body: LabelBody = request.body()?;
    let patch = |text: Option<String>| text.map_or(Patch::Keep, Patch::Set);
    let (name, change) = (body.name, LabelChange { color: patch(body.color), about: patch(body.about) });
    let label = served.shared.write(&request.principal, move |project| project.define_label(&name, &change));
    reply::json(&label.await?)
}

pub(super) async fn undefine(served: ApiState, request: ApiRequest) -> HandlerResult {
    let name = request.parameter("name").to_owned();
    let label = served.shared.write(&request.principal, move |project| project.undefine_label(&name));
    reply::json(&label.await?)
}
