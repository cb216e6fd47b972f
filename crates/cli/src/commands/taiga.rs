//! `cairn taiga`.

mod bridge;
mod login;
mod print;

use std::process::ExitCode;

use app::{Error, ErrorKind};
use clap::{Args, Subcommand};
use tracker::view::{InstanceView, RemoteProjectView, TaigaView};
use tracker::{Binding, Id, Instance, ProjectName, Servers, Tracker, Window};

use super::RepoPath;
use crate::output::Ui;
use crate::taiga_setup;

/// Work with projects on a Taiga server: log in, choose the project of the `taiga` tools, pull and push.
///
/// The token is stored in a file that only you can read; with `CAIRN_KEYRING=on`, in git's credential helpers. In a pipeline, set
/// `CAIRN_TAIGA_URL` and `CAIRN_TAIGA_TOKEN` instead of logging in.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn taiga login https://taiga.example.org --username ada
  cairn taiga projects
  cairn taiga use harbour-logistics
  cairn taiga use --local
  cairn taiga pull
  cairn taiga push --dry-run")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    Login(login::Login),
    Logout(Logout),
    Status,
    Use(Use),
    Projects(Projects),
    Pull(bridge::Pull),
    Push(bridge::Push),
}

/// Remove a server and its token.
#[derive(Debug, Args)]
struct Logout {
    /// The name of the server; may be omitted if there is only one.
    instance: Option<String>,
}

/// Choose the project that the `taiga` tools of this repository use.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn taiga use harbour-logistics
  cairn taiga use 3 --instance taiga.example.org
  cairn taiga use --local")]
struct Use {
    /// The slug or the id of a project; without one, agents choose it with `set_active_project`.
    #[arg(required_unless_present_any = ["local", "instance"], conflicts_with = "local")]
    project: Option<String>,
    /// The server, when you are logged in to several.
    #[arg(long, value_name = "NAME", conflicts_with = "local")]
    instance: Option<String>,
    /// Work on the repository's own items again.
    #[arg(long)]
    local: bool,
}

/// List the projects you are a member of.
#[derive(Debug, Args)]
struct Projects {
    /// The server, when you are logged in to several.
    #[arg(long, value_name = "NAME")]
    instance: Option<String>,
}

pub(super) fn run(arguments: &Arguments, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
    place.check()?;
    let servers = Servers::new(taiga_setup::of_environment());
    match &arguments.action {
        None | Some(Action::Status) => print::status(ui, &status(&servers, place)?),
        Some(Action::Login(login)) => print::logged_in(ui, &InstanceView::from(&login.run(&servers)?)),
        Some(Action::Logout(logout)) => {
            let meant = instance(&servers, logout.instance.as_deref(), None)?;
            print::logged_out(ui, &InstanceView::from(&servers.log_out(&meant.name)?));
        }
        Some(Action::Use(choice)) => {
            choose(&servers, choice, place)?;
            print::status(ui, &status(&servers, place)?);
        }
        Some(Action::Pull(pull)) => return pull.run(&servers, place, ui),
        Some(Action::Push(push)) => return push.run(&servers, place, ui),
        Some(Action::Projects(wanted)) => print::projects(ui, &projects(&servers, wanted, place)?),
    }
    Ok(ExitCode::SUCCESS)
}

fn choose(servers: &Servers, choice: &Use, place: &RepoPath) -> Result<(), Error> {
    let mut binding = servers.binding(place.path())?;
    if choice.local {
        return binding.choose(None);
    }
    let instance = instance(servers, choice.instance.as_deref(), Some(&binding))?;
    let project = choice.project.as_deref().map(project_name);
    servers.bind(&mut binding, &instance, project.as_ref())
}

fn projects(servers: &Servers, wanted: &Projects, place: &RepoPath) -> Result<Vec<RemoteProjectView>, Error> {
    const PAGE: u64 = 100;
    // Projects can be listed outside a repository.
    let binding = match servers.binding(place.path()) {
        Err(error) if error.kind == ErrorKind::NotARepository => None,
        other => Some(other?),
    };
    let instance = instance(servers, wanted.instance.as_deref(), binding.as_ref())?;
    let tracker = servers.tracker(&instance, binding.as_ref())?;
    let mut projects: Vec<RemoteProjectView> = Vec::new();
    loop {
        let window = Window { offset: projects.len() as u64, limit: PAGE };
        let page = tracker.projects(window)?;
        let is_last = page.items.is_empty() || (window.offset + page.items.len() as u64) >= page.total;
        projects.extend(page.items.iter().map(RemoteProjectView::from));
        if is_last {
            return Ok(projects);
        }
    }
}

fn status(servers: &Servers, place: &RepoPath) -> Result<TaigaView, Error> {
    // Servers can be listed outside a repository.
    let binding = match servers.binding(place.path()) {
        Err(error) if error.kind == ErrorKind::NotARepository => None,
        other => Some(other?),
    };
    let chosen = servers.chosen(binding.as_ref())?.map(|name| servers.find(&name)).transpose()?;
    let project = chosen.as_ref().and_then(|instance| binding.as_ref()?.project(instance));
    Ok(TaigaView {
        instance: chosen.as_ref().map(InstanceView::from),
        project: project.as_ref().map(RemoteProjectView::from),
        instances: servers.all()?.iter().map(InstanceView::from).collect(),
    })
}

fn instance(servers: &Servers, name: Option<&str>, binding: Option<&Binding>) -> Result<Instance, Error> {
    match name {
        Some(name) => servers.find(name),
        None => servers.default_server(binding),
    }
}

/// A number is an id, anything else a slug.
fn project_name(text: &str) -> ProjectName {
    let id = text.parse().ok().and_then(Id::new);
    id.map_or_else(|| ProjectName::Slug(text.to_owned()), ProjectName::Id)
}
