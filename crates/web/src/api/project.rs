//! The project as a whole: its name, its people, its rules, how much there is.

use schemars::JsonSchema;
use serde::Serialize;

use super::request::Asked;
use super::route::{Answered, Served};
use super::{document, reply};

/// The project, and who asks.
#[derive(Serialize, JsonSchema)]
pub(super) struct ProjectView {
    /// The project's name.
    name: String,
    /// Names exactly the state of all the work; it changes with every write.
    state: String,
    /// Who asks.
    #[serde(rename = "visitor")]
    principal: PrincipalView,
}

/// Who asks.
#[derive(Serialize, JsonSchema)]
pub(super) struct PrincipalView {
    /// What they are called in logs.
    name: String,
    /// In whose name they change things, as `Name <email>`; null when nobody can be found.
    person: Option<String>,
    /// `reader`, `writer` or `admin`.
    role: &'static str,
}

pub(super) async fn show(served: Served, asked: Asked) -> Answered {
    let principal = asked.principal.clone();
    let view = served.shared.read_as(&asked.principal, move |project| {
        let person = project.me().ok().map(|person| person.to_string());
        let principal = PrincipalView { name: principal.name.clone(), person, role: principal.role.name() };
        Ok(ProjectView { name: project.name(), state: project.state_name()?, principal })
    });
    reply::json(&view.await?)
}

pub(super) async fn workflows(served: Served, asked: Asked) -> Answered {
    reply::tagged(&asked.headers, &served.shared.read(|project| project.workflows(None)).await?)
}

pub(super) async fn members(served: Served, asked: Asked) -> Answered {
    reply::tagged(&asked.headers, &served.shared.read(app::Project::members).await?)
}

pub(super) async fn stats(served: Served, _: Asked) -> Answered {
    reply::json(&served.shared.read(app::Project::stats).await?)
}

pub(super) fn openapi(asked: &Asked) -> Answered {
    reply::tagged(&asked.headers, &document())
}
