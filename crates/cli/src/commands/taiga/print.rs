//! The text output of `cairn taiga`.

use anstyle::Style;
use tracker::TokenLocation;
use tracker::view::{InstanceView, RemoteProjectView, TaigaView};

use crate::output::{Column, FAINT, GOOD, STRONG, Table, Ui, safe};

pub(super) fn logged_in(ui: &Ui, instance: &InstanceView) {
    if ui.json {
        return ui.data(instance);
    }
    let (name, user) = (safe(&instance.name), safe(&instance.username));
    let place = match instance.keeper {
        TokenLocation::Keyring => "git's credential helpers",
        TokenLocation::File => "a file that only you can read",
        TokenLocation::Environment => "an environment variable",
    };
    ui.line(&format!("{GOOD}logged in{GOOD:#} to {name} as {user}; the token is in {place}"));
    ui.note("the taiga tools work on the repository's own items until `cairn taiga use PROJECT`; `cairn taiga projects` lists yours");
}

pub(super) fn logged_out(ui: &Ui, instance: &InstanceView) {
    if ui.json {
        return ui.data(instance);
    }
    ui.line(&format!("{GOOD}logged out{GOOD:#} of {}", safe(&instance.name)));
}

pub(super) fn status(ui: &Ui, view: &TaigaView) {
    if ui.json {
        return ui.data(view);
    }
    ui.line(&match (&view.instance, &view.project) {
        (None, _) => "the taiga tools work on this repository's own items".to_owned(),
        (Some(instance), None) => format!("the taiga tools work on {}, no project is active", safe(&instance.name)),
        (Some(instance), Some(project)) => {
            let (slug, name) = (safe(&project.slug), safe(&instance.name));
            format!("the taiga tools work on {STRONG}{slug}{STRONG:#} on {name}")
        }
    });
    if view.instances.is_empty() {
        ui.note("you are not logged in to any Taiga; `cairn taiga login URL` logs in to one");
        return;
    }
    let mut table =
        Table::new(&[Column::fixed("INSTANCE"), Column::fixed("USER"), Column::main("URL"), Column::fixed("TOKEN")]);
    for instance in &view.instances {
        let plain = |text: &str| (text.to_owned(), Style::new());
        let is_used = view.instance.as_ref().is_some_and(|used| used.name == instance.name);
        let name = (instance.name.clone(), if is_used { STRONG } else { Style::new() });
        table.row(vec![
            name,
            plain(&instance.username),
            plain(&instance.url),
            (instance.keeper.name().to_owned(), FAINT),
        ]);
    }
    ui.print(&table.render());
}

pub(super) fn projects(ui: &Ui, projects: &[RemoteProjectView]) {
    if ui.json {
        return ui.data(&projects);
    }
    if projects.is_empty() {
        return ui.note("you are a member of no project there");
    }
    let mut table = Table::new(&[Column::number("ID"), Column::fixed("SLUG"), Column::main("NAME")]);
    for project in projects {
        let style = if project.active { STRONG } else { Style::new() };
        table.row(vec![
            (project.id.to_string(), FAINT),
            (project.slug.clone(), style),
            (project.name.clone(), Style::new()),
        ]);
    }
    ui.print(&table.render());
}
