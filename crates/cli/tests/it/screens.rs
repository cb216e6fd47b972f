//! The output on terminals of 80, 100 and 120 columns, for a project of 300 items with long titles, many labels, long
//! names, and texts of several scripts. Recorded in `screens/`; `INSTA_UPDATE=always` records them again.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;
use testkit::skip;

use crate::support::Project;

const N_ITEMS: usize = 300;

const TITLES: [&str; 12] = [
    "Login fails on Safari",
    "As a customer I can pay by card, by invoice or with a voucher that a friend has sent me, without an account",
    "ログイン画面でパスワードを再設定できない問題を修正する",
    "تسجيل الدخول لا يعمل على الهاتف عند استخدام رقم دولي",
    "Speed up the nightly export of all invoices (currently four hours, the window is two)",
    "👩‍💻 Onboarding: show new colleagues where the build breaks 🎉",
    "Rotate the session keys",
    "Überprüfung der Größenangaben für maßgeschneiderte Möbelstücke",
    "Deduplicate customers that were imported twice from the old system and have different addresses in each record",
    "결제 페이지의 번역이 누락되었습니다",
    "כפתור הביטול אינו פעיל במסך ההזמנה",
    "Flaky test `converges_after_partition`",
];
const LABELS: [&str; 8] = [
    "bug",
    "frontend",
    "accessibility",
    "needs-design",
    "customer-request",
    "performance",
    "セキュリティ",
    "regression",
];
const PEOPLE: [&str; 5] = [
    "Ada Lovelace <ada@example.com>",
    "Grace Brewster Murray Hopper <grace@example.com>",
    "山田 太郎 <taro@example.com>",
    "فاطمة الزهراء <fatima@example.com>",
    "Maximiliane-Annegret von Hohenlohe-Langenburg <max@example.com>",
];
const STATUSES: [&str; 4] = ["backlog", "ready", "in_progress", "review"];
const DESCRIPTION: &str = "## What happens\n\nThe page **reloads** and the form is empty, see `src/login.rs`. It happens on every third try, which the customers noticed before we did.\n\n- [x] reproduce\n- [ ] fix\n\n| browser | result |\n|---|---|\n| Safari 26 | fails |\n| Firefox | works |\n\n```rust\nlet session = open()?;\n```\n";

/// One item of the project, as a line of JSON. All times are long ago, so that they are shown as dates.
fn item(n: usize) -> String {
    let kind = ["issue", "task", "story"][n % 3];
    let day = format!("2024-{:02}-{:02}", n % 12 + 1, n % 28 + 1);
    let labels: Vec<&str> = LABELS.iter().copied().skip(n % 5).step_by(2).take(n % 4).collect();
    let mut item = json!({
        "id": format!("s{n}"), "kind": kind, "title": format!("{} ({n})", TITLES[n % TITLES.len()]),
        "labels": labels, "priority": n % 11, "author": PEOPLE[n % 3], "created": format!("{day}T10:00:00Z"),
        "updated": format!("{day}T11:00:00Z"), "status": STATUSES[n % 4],
    });
    if !n.is_multiple_of(3) {
        item["assignee"] = PEOPLE[n % PEOPLE.len()].into();
    }
    if n.is_multiple_of(7) {
        item["due"] = format!("2024-{:02}-15", n % 12 + 1).into();
    }
    if n == 7 {
        item["description"] = DESCRIPTION.into();
        item["comments"] =
            json!([{"author": PEOPLE[4], "created": "2024-02-01T09:30:00Z", "body": "It works on *Safari 25*."}]);
    }
    item["milestone"] = ["Release 1.0", "Spring cleaning"][n % 2].into();
    if n <= 24 {
        item["parent"] = format!("epic{}", n % 2).into();
    }
    if n == 4 || n == 8 {
        item["status"] = "done".into();
    }
    item.to_string()
}

fn project() -> Project {
    let project = Project::in_memory();
    let mut lines = String::new();
    for (title, due) in [("Release 1.0", "2024-12-01"), ("Spring cleaning", "2099-04-01")] {
        let milestone = json!({"id": title, "kind": "milestone", "title": title, "due": due,
            "created": "2024-01-01T08:00:00Z", "updated": "2024-01-01T08:00:00Z"});
        let _ = writeln!(lines, "{milestone}");
    }
    for (n, title) in ["People can sign in with whatever account they have", "支払い"].iter().enumerate() {
        let epic = json!({"id": format!("epic{n}"), "kind": "epic", "title": title, "created": "2024-01-01T08:00:00Z",
            "updated": "2024-01-01T08:00:00Z"});
        let _ = writeln!(lines, "{epic}");
    }
    for n in 1..=N_ITEMS {
        let _ = writeln!(lines, "{}", item(n));
    }
    let ran = project.cairn.run_with_input(&["import", "jsonl", "-"], lines.as_bytes());
    assert!(ran.status.success(), "{ran}");
    // What the log tells: changes of the newest items only, whose age no other screen shows.
    for change in [
        &["close", "300", "-m", "Fixed."][..],
        &["edit", "299", "--priority", "urgent", "--assign", "taro@example.com"],
        &["label", "298", "+bug"],
        &["link", "297", "--blocks", "296"],
        &["delete", "295"],
        &["undo"],
    ] {
        project.cairn.ok(change);
    }
    project
}

const COMMANDS: [&[&str]; 14] = [
    &["list", "--sort", "number", "-n", "14"],
    &["list", "--sort", "number", "-n", "6", "--page", "3", "--columns", "number,title,due,milestone,author"],
    &["list", "milestone", "--sort", "number"],
    &["list", "epic", "--sort", "number"],
    &["list", "--overdue", "--mine", "--sort", "number", "-n", "5"],
    &["ready", "-n", "8"],
    &["search", "safari", "-n", "6"],
    &["show", "9"],
    &["show", "1"],
    &["show", "6", "--history"],
    &["log", "-n", "7"],
    &["status"],
    &["--help"],
    &["list", "--help"],
];

/// Runs a command on a terminal, which `script` makes, with the environment of every test.
fn on_terminal(project: &Project, words: &str, width: usize, answers: &str) -> String {
    let program = env!("CARGO_BIN_EXE_cairn");
    let line =
        format!("printf '{answers}' | script -qec \"stty cols {width} rows 500; '{program}' {words}\" /dev/null");
    let mut command = project.cairn.command_through(&["sh", "-c", &line], &[""; 0]);
    let output = command.env("GIT_PAGER", "cat").output().unwrap();
    String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n").replace("^D\u{8}\u{8}", "")
}

/// The age of what the test itself wrote depends on the speed of the machine.
fn without_age(line: &str) -> String {
    let Some((age, rest)) = line.split_at_checked(10) else { return line.to_owned() };
    let is_age = age.trim() == "now" || age.ends_with("m ago");
    if is_age { format!("{:>10}{rest}", "now") } else { line.to_owned() }
}

fn check(project: &Project, width: usize) {
    let mut screens = String::new();
    for words in COMMANDS {
        let _ = writeln!(screens, "$ cairn {}", words.join(" "));
        let screen = on_terminal(project, &words.join(" "), width, "");
        for line in screen.lines() {
            let _ = writeln!(screens, "{}", without_age(line).trim_end());
            let n_columns = unicode_width::UnicodeWidthStr::width(line);
            // An example in the help of a command may be longer.
            let is_help_of_command = words.len() > 1 && words.contains(&"--help");
            assert!(n_columns <= width || is_help_of_command, "{n_columns} columns: {line}");
        }
        screens.push('\n');
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/screens/{width}.txt"));
    testkit::check_recorded(&path, &screens);
}

#[test]
fn screens_of_80_100_and_120_columns_are_as_recorded() {
    let has_script =
        std::process::Command::new("script").arg("--version").output().is_ok_and(|ran| ran.status.success());
    if !has_script {
        skip("there is no `script` of util-linux, which makes a terminal");
        return;
    }
    let project = project();
    for width in [80, 100, 120] {
        check(&project, width);
    }
}

#[test]
fn questions_are_asked_on_a_terminal() {
    let project = Project::with_items(&["One", "Two"]);
    let answer = |words: &str, answers: &str| on_terminal(&project, words, 80, answers);
    let screen = answer("delete --where kind==issue", "n\\n");
    assert!(screen.contains("delete 2 items? [y/N]") && screen.contains("nothing was changed"), "{screen}");
    let screen = answer("close --where kind==issue", "y\\n");
    assert!(screen.contains("closed issue #2: Two"), "{screen}");
    let screen = answer("new", "task\\nThree\\nbug, ui\\nSome words\\n");
    assert!(screen.contains("created task #3: Three"), "{screen}");
    let item = project.cairn.json(&["show", "3"]);
    assert_eq!(item["labels"], json!(["bug", "ui"]));
    assert_eq!(item["description"], "Some words");
}
