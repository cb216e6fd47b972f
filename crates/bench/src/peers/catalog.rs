//! The programs that are measured beside Cairn, and Cairn itself.

use xtask::tools::peer::{PublishedProgram, Registry};

use super::super::prose::RARE;
use super::subject::{Action, Field, ItemName, Seed, Server, Source, Subject};

const fn published(registry: Registry, package: &'static str, version: &'static str, program: &'static str) -> Source {
    Source::Published(PublishedProgram { registry, package, version, program })
}

const NO_TRACKER: Seed = Seed::OneByOne(Action::Create);

/// Cairn as a tracker.
pub(crate) const CAIRN: Subject = Subject {
    name: "Cairn",
    source: Source::Built,
    field: Field::Tracker,
    about: "log of operations in git refs, SQLite index; synced to disk",
    environment: &[],
    setup: &[],
    seed: Seed::BeadsFile(&["import", "beads", "{file}"]),
    item_name: ItemName::Number,
    commands: &[
        (Action::Create, &["new", "task", "{title}", "--description", "{text}", "--label", "bug"]),
        (Action::List, &["list"]),
        (Action::ListAll, &["list", "--limit", "0"]),
        (Action::Show, &["show", "{id}"]),
        (Action::Ready, &["ready"]),
        (Action::Search, &["search", RARE]),
    ],
    found: &["list", "--limit", "0", "--json"],
    server: Some(Server { arguments: &["mcp", "start"], list: Ok(("list", "{}")) }),
};

/// Cairn beside programs that annotate code.
pub(crate) const CAIRN_ANNOTATIONS: Subject = Subject {
    field: Field::Annotations,
    seed: Seed::OneByOne(Action::Annotate),
    commands: &[
        (
            Action::Annotate,
            &["annotate", "--commit", "{commit}", "--anchor", "src/work.rs:step_{n}", "--intent", "{title}"],
        ),
        (Action::ReadAnnotations, &["read", "src/work.rs", "--max-regions", "1000"]),
    ],
    found: &["annotate", "--list", "--json"],
    server: None,
    ..CAIRN
};

/// Cairn beside programs that collect a reviewer's comments.
pub(crate) const CAIRN_REVIEW: Subject = Subject {
    field: Field::Review,
    seed: Seed::OneByOne(Action::AddComment),
    commands: &[
        (Action::AddComment, &["inbox", "send", "--file", "src/work.rs", "--line", "{n}", "--comment", "{title}"]),
        (Action::ListComments, &["inbox", "list"]),
    ],
    found: &["inbox", "list", "--json"],
    server: None,
    ..CAIRN
};

pub(crate) const PEERS: &[Subject] = &[
    Subject {
        name: "git-mile",
        source: Source::OnPath("git-mile"),
        field: Field::Tracker,
        about: "a git ref per task, no index; not synced to disk",
        environment: &[],
        setup: &[],
        seed: Seed::OneByOne(Action::Create),
        item_name: ItemName::Printed,
        commands: &[
            (Action::Create, &["new", "--title", "{title}", "--description", "{text}", "--label", "bug"]),
            (Action::ListAll, &["ls"]),
            (Action::Show, &["show", "--task", "{id}"]),
            (Action::Search, &["ls", "--text", RARE]),
        ],
        found: &["ls", "--format", "json"],
        server: Some(Server { arguments: &["mcp"], list: Ok(("list_tasks", "{}")) }),
    },
    Subject {
        name: "beads-rs",
        source: published(Registry::Crates, "beads-rs", "0.1.26", "bd"),
        field: Field::Tracker,
        about: "JSON lines on a git branch, served by a daemon",
        environment: &[("BD_NO_AUTO_UPGRADE", "1")],
        setup: &[
            &["git", "init", "--quiet", "--bare", "../origin.git"],
            &["git", "remote", "add", "origin", "../origin.git"],
        ],
        seed: Seed::BeadsFile(&["migrate", "from-go", "--input", "{file}"]),
        item_name: ItemName::Beads,
        commands: &[
            (Action::Create, &["create", "{title}", "--description", "{text}", "--labels", "bug"]),
            (Action::List, &["list", "--limit", "50"]),
            (Action::ListAll, &["list"]),
            (Action::Show, &["show", "{id}"]),
            (Action::Ready, &["ready"]),
            (Action::Search, &["search", RARE]),
        ],
        found: &["list", "--json"],
        server: None,
    },
    Subject {
        name: "Backlog.md",
        source: published(Registry::Npm, "backlog.md", "1.52.0", "backlog"),
        field: Field::Tracker,
        about: "a Markdown file per task in the work tree",
        environment: &[],
        setup: &[&["init", "bench", "--defaults", "--agent-instructions", "none"]],
        seed: Seed::BacklogFiles,
        item_name: ItemName::Number,
        commands: &[
            (Action::Create, &["task", "create", "{title}", "--description", "{text}", "--labels", "bug", "--plain"]),
            (Action::List, &["task", "list", "--limit", "50", "--plain"]),
            (Action::ListAll, &["task", "list", "--plain"]),
            (Action::Show, &["task", "view", "{id}", "--plain"]),
            (Action::Ready, &["task", "list", "--ready", "--limit", "20", "--plain"]),
            (Action::Search, &["search", RARE, "--plain"]),
        ],
        found: &["task", "list", "--json"],
        server: Some(Server { arguments: &["mcp", "start"], list: Ok(("task_list", "{}")) }),
    },
    Subject {
        name: "Task Master",
        source: published(Registry::Npm, "task-master-ai", "0.43.1", "task-master"),
        field: Field::Tracker,
        about: "one JSON file in the work tree",
        environment: &[],
        setup: &[],
        seed: Seed::TaskMasterFile,
        item_name: ItemName::Number,
        commands: &[
            (Action::Create, &["add-task", "--title={title}", "--description={text}"]),
            (Action::ListAll, &["list"]),
            (Action::Show, &["show", "{id}"]),
            (Action::Ready, &["next"]),
        ],
        found: &["list", "--format", "json"],
        server: None,
    },
    Subject {
        name: "Task Master MCP",
        source: published(Registry::Npm, "task-master-ai", "0.43.1", "task-master-mcp"),
        field: Field::Server,
        about: "a server of its own for the same file",
        environment: &[],
        setup: &[],
        seed: Seed::TaskMasterFile,
        item_name: ItemName::Number,
        commands: &[],
        found: &[],
        server: Some(Server { arguments: &[], list: Ok(("get_tasks", r#"{"projectRoot":"{work}"}"#)) }),
    },
    Subject {
        name: "Radicle",
        source: published(Registry::Crates, "radicle-cli", "0.23.0", "rad"),
        field: Field::Tracker,
        about: "signed git commits per issue, SQLite cache",
        environment: &[("RAD_HOME", "{home}/radicle"), ("RAD_PASSPHRASE", "bench")],
        setup: &[
            &["auth", "--alias", "ada"],
            &[
                "init",
                "--name",
                "bench",
                "--description",
                "bench",
                "--default-branch",
                "main",
                "--public",
                "--no-confirm",
                "--no-seed",
            ],
        ],
        seed: Seed::OneByOne(Action::Create),
        item_name: ItemName::Printed,
        commands: &[
            (
                Action::Create,
                &["issue", "open", "--title", "{title}", "--description", "{text}", "--label", "bug", "--no-announce"],
            ),
            (Action::ListAll, &["issue", "list"]),
            (Action::Show, &["issue", "show", "{id}"]),
        ],
        found: &["issue", "list"],
        server: None,
    },
    Subject {
        name: "Chronicle",
        source: published(Registry::Crates, "git-chronicle", "0.1.14", "git-chronicle"),
        field: Field::Annotations,
        about: "git notes, one per commit",
        environment: &[],
        setup: &[&["init", "--no-sync", "--no-hooks"]],
        seed: Seed::OneByOne(Action::Annotate),
        item_name: ItemName::Number,
        commands: &[
            (
                Action::Annotate,
                &[
                    "annotate",
                    "--json",
                    r#"{"commit":"{commit}","summary":"{title}","wisdom":[{"category":"insight","content":"{title}","file":"src/work.rs"}]}"#,
                ],
            ),
            (Action::ReadAnnotations, &["read", "src/work.rs"]),
        ],
        found: &["export"],
        server: None,
    },
    Subject {
        name: "tuicr",
        source: published(Registry::CratesUnlocked, "tuicr", "0.28.0", "tuicr"),
        field: Field::Review,
        about: "a JSON file per review in the user's data folder",
        environment: &[],
        setup: &[],
        seed: Seed::OneByOne(Action::AddComment),
        item_name: ItemName::Number,
        commands: &[
            (
                Action::AddComment,
                &[
                    "review",
                    "add",
                    "--session",
                    "{home}/session.json",
                    "--target-file",
                    "src/work.rs",
                    "--line",
                    "{n}",
                    "--side",
                    "new",
                    "--type",
                    "issue",
                    "{title}",
                ],
            ),
            (Action::ListComments, &["review", "comments", "--session", "{home}/session.json"]),
        ],
        found: &["review", "comments", "--session", "{home}/session.json"],
        server: None,
    },
    Subject {
        name: "beads-mcp",
        source: published(Registry::PyPi, "beads-mcp", "1.3.2", "beads-mcp"),
        field: Field::Server,
        about: "starts a `bd` per call",
        environment: &[],
        setup: &[],
        seed: NO_TRACKER,
        item_name: ItemName::Number,
        commands: &[],
        found: &[],
        server: Some(Server { arguments: &[], list: Err("needs the `bd` written in Go, which is in no registry") }),
    },
    Subject {
        name: "mcp-atlassian",
        source: published(Registry::PyPi, "mcp-atlassian", "0.23.1", "mcp-atlassian"),
        field: Field::Server,
        about: "asks a Jira server",
        // Without an address it offers no tools; nobody listens there.
        environment: &[
            ("JIRA_URL", "http://127.0.0.1:9"),
            ("JIRA_USERNAME", "ada@example.org"),
            ("JIRA_API_TOKEN", "none"),
        ],
        setup: &[],
        seed: NO_TRACKER,
        item_name: ItemName::Number,
        commands: &[],
        found: &[],
        server: Some(Server { arguments: &[], list: Err("needs a Jira server") }),
    },
];

/// Returns Cairn as it is compared in a field.
pub(crate) fn ours(field: Field) -> &'static Subject {
    match field {
        Field::Annotations => &CAIRN_ANNOTATIONS,
        Field::Review => &CAIRN_REVIEW,
        Field::Tracker | Field::Server => &CAIRN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_its_counterpart_in_cairn() {
        for peer in PEERS {
            for (action, _) in peer.commands {
                assert!(ours(peer.field).arguments(*action).is_some(), "{}: {}", peer.name, action.name());
            }
            assert_eq!(peer.commands.is_empty(), peer.field == Field::Server, "{}", peer.name);
        }
    }

    #[test]
    fn names_are_unique() {
        for (index, peer) in PEERS.iter().enumerate() {
            assert!(PEERS[..index].iter().all(|other| other.name != peer.name), "{}", peer.name);
        }
    }
}
