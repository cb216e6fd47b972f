//! `cairn member`.

use std::process::ExitCode;

use anstyle::Style;
use app::verb::NewMember;
use app::view::MemberView;
use app::{Error, Project};
use clap::{Args, Subcommand};

use crate::output::{Column, FAINT, GOOD, STRONG, Screen, Table, safe};

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
        /// What the person does here.
        #[arg(long, value_name = "TEXT")]
        role: Option<String>,
    },
    /// Take a member out; what the person wrote stays.
    Remove {
        /// The name, the e-mail address, the user name or the number (`person/3`).
        who: String,
    },
}

pub(crate) fn run(arguments: &Arguments, mut project: Project, screen: &Screen) -> Result<ExitCode, Error> {
    match &arguments.action {
        None | Some(Action::List) => list(screen, &project.members()?),
        Some(Action::Add { name, email, username, role }) => {
            let person = model::person::Person::parse(name);
            let email = email.clone().unwrap_or_else(|| person.email().to_owned());
            if email.is_empty() {
                return Err(Error::invalid("a member needs an e-mail address; give it with `--email`"));
            }
            let name = if person.name().is_empty() { email.clone() } else { person.name().to_owned() };
            let new = NewMember { name, email, username: username.clone(), role: role.clone() };
            changed(screen, "added", &project.add_member(&new)?);
        }
        Some(Action::Remove { who }) => changed(screen, "removed", &project.remove_member(who)?),
    }
    Ok(ExitCode::SUCCESS)
}

fn list(screen: &Screen, members: &[MemberView]) {
    if screen.json {
        screen.data(&members);
        return;
    }
    if members.is_empty() {
        screen.note("no members yet; `cairn member add NAME --email ADDRESS` adds one");
        return;
    }
    let mut table = Table::new(&[
        Column::number("#"),
        Column::flexible("NAME"),
        Column::fixed("USERNAME"),
        Column::flexible("EMAIL"),
        Column::flexible("ROLE"),
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
    screen.print(&table.render());
}

fn changed(screen: &Screen, verb: &str, member: &MemberView) {
    if screen.json {
        screen.data(member);
    } else {
        screen.line(&format!("{GOOD}{verb}{GOOD:#} {} <{}>", safe(&member.name), safe(&member.email)));
    }
}
