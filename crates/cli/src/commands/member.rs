//! `cairn member`.

use std::process::ExitCode;

use anstyle::Style;
use app::verb::NewMember;
use app::view::MemberView;
use app::{Error, Project};
use clap::{Args, Subcommand};

use crate::output::{Column, FAINT, GOOD, STRONG, Table, Ui, safe};

/// Show, add and remove the people of the project.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn member
  cairn member add 'Ada Lovelace' --email ada@example.org --username ada --role engineer
  cairn member remove ada")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show the members.
    List,
    /// Add a member, or change the one with the same e-mail address.
    Add {
        /// The name, or `Name <email>`.
        name: String,
        /// The e-mail address.
        #[arg(long, value_name = "ADDRESS")]
        email: Option<String>,
        /// A short name to type, as in `--assign ada`.
        #[arg(long, value_name = "NAME")]
        username: Option<String>,
        /// The person's role in the project.
        #[arg(long, value_name = "TEXT")]
        role: Option<String>,
    },
    /// Remove a member; their items and comments stay.
    Remove {
        /// The name, the e-mail address, the user name or the number (`person/3`).
        who: String,
    },
}

pub(crate) fn run(arguments: &Arguments, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
    match &arguments.action {
        None | Some(Action::List) => list(ui, &project.members()?),
        Some(Action::Add { name, email, username, role }) => {
            let person = model::person::Person::parse(name);
            let email = email.clone().unwrap_or_else(|| person.email().to_owned());
            if email.is_empty() {
                return Err(Error::invalid("a member needs an e-mail address; give it with `--email`"));
            }
            let name = if person.name().is_empty() { email.clone() } else { person.name().to_owned() };
            let new = NewMember { name, email, username: username.clone(), role: role.clone() };
            changed(ui, "added", &project.add_member(&new)?);
        }
        Some(Action::Remove { who }) => changed(ui, "removed", &project.remove_member(who)?),
    }
    Ok(ExitCode::SUCCESS)
}

fn list(ui: &Ui, members: &[MemberView]) {
    if ui.json {
        ui.data(&members);
        return;
    }
    if members.is_empty() {
        ui.note("no members yet; `cairn member add NAME --email ADDRESS` adds one");
        return;
    }
    let mut table = Table::new(&[
        Column::number("#"),
        Column::main("NAME"),
        Column::fixed("USERNAME"),
        Column::gives_way("EMAIL", 12, 40),
        Column::gives_way("ROLE", 6, 24),
    ]);
    for member in members {
        let plain = |text: &str| (text.to_owned(), Style::new());
        let style = if member.added { STRONG } else { FAINT };
        table.row(vec![
            (member.number.to_string(), style),
            (member.name.clone(), style),
            plain(&member.username),
            plain(&member.email),
            plain(&member.role),
        ]);
    }
    ui.print(&table.render());
}

fn changed(ui: &Ui, verb: &str, member: &MemberView) {
    if ui.json {
        ui.data(member);
    } else {
        ui.line(&format!("{GOOD}{verb}{GOOD:#} {} <{}>", safe(&member.name), safe(&member.email)));
    }
}
