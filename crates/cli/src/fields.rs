//! The flags for item fields, generated from the table in `model::field`.

use app::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use model::field::{FIELDS, Field, FieldChange};

/// Fields and the given texts, in the order of the table.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldFlags(Vec<(&'static Field, String)>);

impl FieldFlags {
    /// Parses the values.
    pub(crate) fn parse(&self) -> Result<Vec<FieldChange>, Error> {
        self.0.iter().map(|(field, text)| parse(field, text)).collect()
    }
}

impl FromArgMatches for FieldFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let given = flags().filter_map(|field| Some((field, matches.get_one::<String>(field.name)?.clone())));
        self.0 = given.collect();
        Ok(())
    }
}

impl Args for FieldFlags {
    fn augment_args(command: Command) -> Command {
        command.args(flags().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

// Title and description can be given in several ways, so each command declares them itself.
fn flags() -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(|field| !matches!(field.name, "title" | "description"))
}

fn flag(field: &'static Field) -> Arg {
    let flag = Arg::new(field.name)
        .long(field.name)
        .value_name(field.placeholder())
        .help(field.about)
        .action(ArgAction::Set)
        .allow_hyphen_values(true)
        .help_heading("Fields");
    if field.name == "assign" { flag.visible_alias("assignee") } else { flag }
}

/// Parses the text of a field.
pub(crate) fn parse(field: &'static Field, text: &str) -> Result<FieldChange, Error> {
    Ok(FieldChange::parse(field, text)?)
}
