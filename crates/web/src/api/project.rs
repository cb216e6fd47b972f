//! The project as a whole: name, members, workflows, statistics.

use schemars::JsonSchema;
use serde::Serialize;

use super::request::ApiRequest;
use super::route::{ApiState, HandlerResult};
use super::{document, reply};

/// The project and the principal of the request.
#[derive(Serialize, JsonSchema)]
pub(super) struct ProjectView {
    /// Name of the project.
    name: String,
    /// Identifies the state of all work items; it changes with every write.
    state: String,
    /// The principal of the request.
    #[serde(rename = "visitor")]
    principal: PrincipalView,
}

/// The principal of a request.
#[derive(Serialize, JsonSchema)]
pub(super) struct PrincipalView {
    /// Name in logs.
    name: String,
    /// The author of changes, as `Name <email>`; null if it is unknown.
    person: Option<String>,
    /// `reader`, `writer` or `admin`.
    role: &'static str,
}

pub(super) async fn show(served: ApiState, request: ApiRequest) -> HandlerResult {
    let principal = request.principal.clone();
    let view = served.shared.read_as(&request.principal, move |project| {
        let person = project.me().ok().map(|person| person.to_string());
        let principal = PrincipalView { name: principal.name.clone(), person, role: principal.role.name() };
        Ok(ProjectView { name: project.name(), state: project.state_name()?, principal })
    });
    reply::json(&view.await?)
}

pub(super) async fn workflows(served: ApiState, request: ApiRequest) -> HandlerResult {
    reply::tagged(&request.headers, &served.shared.read(|project| project.workflows(None)).await?)
}

pub(super) async fn members(served: ApiState, request: ApiRequest) -> HandlerResult {
    reply::tagged(&request.headers, &served.shared.read(app::Project::members).await?)
}

pub(super) async fn stats(served: ApiState, _: ApiRequest) -> HandlerResult {
    reply::json(&served.shared.read(app::Project::stats).await?)
}

pub(super) fn openapi(request: &ApiRequest) -> HandlerResult {
    reply::tagged(&request.headers, &document())
}
