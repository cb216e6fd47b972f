//! `cairn mcp install`: the right entry in the right file, and no other byte changed.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Child;

use serde_json::{Value, json};
use testkit::{Layout, Ran, lines_with};

use crate::bench::{Bench, install_words, read, write};

const PLAIN: &str = r#"{
  "mcpServers": {
    "cairn": {
      "command": "PROGRAM",
      "args": ["mcp", "start", "--repo", "ROOT"]
    }
  }
}
"#;

fn with_folder(text: &str) -> String {
    text.replace("\"]\n", "\"],\n      \"cwd\": \"ROOT\"\n")
}

fn with_underscores(text: &str) -> String {
    text.replace("\"ROOT\"]", "\"ROOT\", \"--tool-names\", \"underscore\"]")
}

const CODEX: &str =
    "[mcp_servers.cairn]\ncommand = \"PROGRAM\"\nargs = [\"mcp\", \"start\", \"--repo\", \"ROOT\"]\ncwd = \"ROOT\"\n";

const OPENCODE: &str = r#"{
  "mcp": {
    "cairn": {
      "type": "local",
      "command": ["PROGRAM", "mcp", "start", "--repo", "ROOT"],
      "enabled": true
    }
  }
}
"#;

#[test]
fn every_client_gets_its_file_key_and_shape() {
    let vscode = with_folder(PLAIN)
        .replace("mcpServers", "servers")
        .replace("      \"command\"", "      \"type\": \"stdio\",\n      \"command\"");
    let copilot = with_underscores(PLAIN)
        .replace("      \"command\"", "      \"type\": \"local\",\n      \"command\"")
        .replace("\"]\n", "\"],\n      \"tools\": [\"*\"]\n");
    let plain = PLAIN.to_owned();
    let cases = [
        ("claude-code", Some(".mcp.json"), ".claude.json", with_folder(PLAIN)),
        ("claude-desktop", None, "claude/claude_desktop_config.json", with_underscores(&with_folder(PLAIN))),
        ("cursor", Some(".cursor/mcp.json"), ".cursor/mcp.json", with_underscores(PLAIN)),
        ("vscode", Some(".vscode/mcp.json"), "Code/User/mcp.json", vscode),
        ("copilot", Some(".github/mcp.json"), ".copilot/mcp-config.json", copilot),
        ("windsurf", None, ".codeium/windsurf/mcp_config.json", with_underscores(PLAIN)),
        ("zed", None, "zed/settings.json", plain.replace("mcpServers", "context_servers")),
        ("codex", Some(".codex/config.toml"), ".codex/config.toml", CODEX.to_owned()),
        ("gemini", Some(".gemini/settings.json"), ".gemini/settings.json", with_folder(PLAIN)),
        ("opencode", Some("opencode.json"), "opencode/opencode.json", OPENCODE.to_owned()),
        ("jetbrains", Some(".junie/mcp/mcp.json"), ".junie/mcp/mcp.json", with_underscores(PLAIN)),
    ];
    let bench = Bench::new();
    for (client, project, user, expected) in cases {
        bench.install(&format!("--client {client}"));
        bench.install(&format!("--client {client} --global"));
        let files = project.map(|path| bench.root().join(path)).into_iter().chain([bench.home().join(user)]);
        for file in files {
            assert_eq!(read(&file), bench.filled(&expected), "{client}: {}", file.display());
        }
    }
}

#[test]
fn a_file_of_claude_s_is_used_where_its_folder_is() {
    let bench = Bench::new();
    fs::create_dir(bench.home().join("Claude")).unwrap();
    bench.install("--client claude-desktop");
    assert!(bench.home().join("Claude/claude_desktop_config.json").exists());
    assert!(!bench.home().join("claude").exists());
}

#[test]
fn a_second_run_writes_nothing() {
    let bench = Bench::new();
    let file = bench.root().join(".mcp.json");
    assert!(bench.install("").out().starts_with("added `cairn` to `"));
    let before = fs::metadata(&file).unwrap();
    let ran = bench.install("");
    assert!(ran.out().starts_with("already installed: `cairn` in `"), "{ran}");
    let after = fs::metadata(&file).unwrap();
    assert_eq!((before.ino(), before.mtime_nsec(), before.mtime()), (after.ino(), after.mtime_nsec(), after.mtime()));
}

#[test]
fn other_arguments_update_the_entry_and_keep_what_a_person_added() {
    let bench = Bench::new();
    let file = bench.root().join(".mcp.json");
    write(
        &file,
        r#"{"mcpServers": {"cairn": {"command": "old", "args": [], "env": {"A": "b"}}, "x": {"command": "y"}}}"#,
    );
    insta::assert_snapshot!(bench.install("--dialect mile --name cairn").snapshot(), @"
    --- stdout
    updated `cairn` in `<tmp>/project/.mcp.json`, for Claude Code
    --- stderr
    Claude Code asks for your approval when it next starts in the project
    ");
    let expected = r#"{"mcpServers": {"cairn": {"command": "PROGRAM", "args": ["mcp", "start", "--dialect", "mile", "--repo", "ROOT"], "env": {"A": "b"}, "cwd": "ROOT"}, "x": {"command": "y"}}}"#;
    assert_eq!(read(&file), bench.filled(expected));
    insta::assert_snapshot!(bench.install("").snapshot(), @"
    --- stdout
    updated `cairn` in `<tmp>/project/.mcp.json`, for Claude Code
    --- stderr
    Claude Code asks for your approval when it next starts in the project
    ");
    assert_eq!(read(&file), bench.filled(&expected.replace("\"--dialect\", \"mile\", ", "")));
}

#[test]
fn every_other_byte_stays() {
    let texts = [
        "{\n  // mine\n  \"mcpServers\": {\n    \"a\": { \"command\": \"b\" }, // trailing\n  },\n  \"z\": [1,2 , 3]\n}",
        "\u{feff}{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {}\r\n\t}\r\n}\r\n",
        "{\"mcpServers\":{\"a\":{\"x\":1e400}},\"k\":\"\\u00e9\"}",
        "{ /* none yet */ \"mcpServers\": {} }\n\n\n",
    ];
    let bench = Bench::new();
    let file = bench.root().join(".mcp.json");
    for text in texts {
        write(&file, text);
        bench.install("");
        let installed = read(&file);
        assert!(installed.contains("\"cairn\"") && installed.len() > text.len(), "{installed}");
        assert_eq!(installed.contains("\r\n"), text.contains("\r\n"));
        let ran = bench.install("--remove");
        insta::allow_duplicates! {
            insta::assert_snapshot!(ran.snapshot(), @"
            --- stdout
            removed `cairn` from `<tmp>/project/.mcp.json`, for Claude Code
            ");
        }
        assert_eq!(read(&file), text);
    }
    insta::assert_snapshot!(bench.install("--remove").snapshot(), @"
    --- stdout
    not installed: `<tmp>/project/.mcp.json` has no `cairn`, for Claude Code
    ");
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    let cases: [&[u8]; 6] = [
        b"{\n  \"mcpServers\": {,}\n}\n",
        b"{\"mcpServers\": [\"cairn\"]}",
        b"{\"mcpServers\": {}, \"mcpServers\": {}}",
        b"[]",
        b"\xff\xfe{\0}\0",
        b"mcpServers:\n  cairn: {}\n",
    ];
    let bench = Bench::new();
    let file = bench.root().join(".mcp.json");
    let refusals = cases.map(|bytes| {
        fs::write(&file, bytes).unwrap();
        let [install, print, remove] = ["", "--print", "--remove"].map(|words| bench.refuse(words).snapshot());
        assert_eq!((&print, &remove), (&install, &install));
        assert_eq!(fs::read(&file).unwrap(), bytes);
        install
    });
    insta::assert_snapshot!(refusals.concat(), @"
    exit status: 1
    --- stderr
    error: `<tmp>/project/.mcp.json` was not changed: line 2, column 18: unexpected token in object
    hint: correct the file there and run the same command again, or name another file with `--config`
    exit status: 1
    --- stderr
    error: `<tmp>/project/.mcp.json` was not changed: line 1, column 16: `mcpServers` should be an object
    hint: correct the file there and run the same command again, or name another file with `--config`
    exit status: 1
    --- stderr
    error: `<tmp>/project/.mcp.json` was not changed: line 1, column 20: `mcpServers` occurs twice; keep one of them
    hint: correct the file there and run the same command again, or name another file with `--config`
    exit status: 1
    --- stderr
    error: `<tmp>/project/.mcp.json` was not changed: line 1, column 1: the document should be an object
    hint: correct the file there and run the same command again, or name another file with `--config`
    exit status: 1
    --- stderr
    error: `<tmp>/project/.mcp.json` was not changed: it is not UTF-8
    hint: save it as UTF-8, or name another file with `--config`
    exit status: 1
    --- stderr
    error: `<tmp>/project/.mcp.json` was not changed: line 1, column 1: unexpected word
    hint: correct the file there and run the same command again, or name another file with `--config`
    ");
}

#[test]
fn nothing_is_written_when_one_of_several_files_is_refused() {
    let bench = Bench::new();
    write(&bench.root().join(".cursor/mcp.json"), "{");
    let ran = bench.refuse("--client claude-code --client cursor");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 1
    --- stderr
    error: `<tmp>/project/.cursor/mcp.json` was not changed: line 1, column 1: unterminated object
    hint: correct the file there and run the same command again, or name another file with `--config`
    ");
    assert!(!bench.root().join(".mcp.json").exists());
}

#[test]
fn an_empty_file_and_one_of_comments_are_filled() {
    let bench = Bench::new();
    let file = bench.root().join(".mcp.json");
    let expected = bench.filled(&with_folder(PLAIN));
    for text in ["", "\n\n", "// only this\n"] {
        write(&file, text);
        bench.install("");
        assert_eq!(read(&file), format!("{}{expected}", if text.starts_with('/') { text } else { "" }));
    }
}

#[test]
fn links_and_modes_stay() {
    let bench = Bench::new();
    let kept = bench.home().join("dotfiles/mcp.json");
    write(&kept, "{}\n");
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o640)).unwrap();
    // Symbolic links, as in a repository of dotfiles.
    let link = bench.home().join(".claude.json");
    symlink("hop", &link).unwrap();
    symlink(&kept, bench.home().join("hop")).unwrap();
    bench.install("--global");
    assert!(link.is_symlink());
    assert_eq!(read(&kept), bench.filled(&with_folder(PLAIN)));
    assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o640);

    // A dangling link names the file to create.
    fs::remove_file(&kept).unwrap();
    bench.install("--global");
    assert!(link.is_symlink() && kept.exists());

    fs::remove_file(&link).unwrap();
    symlink(".claude.json", &link).unwrap();
    insta::assert_snapshot!(bench.refuse("--global").snapshot(), @"
    exit status: 2
    --- stderr
    error: `<tmp>/.claude.json` is a link that leads nowhere
    ");
}

#[test]
fn links_out_of_the_repository_are_not_followed() {
    let bench = Bench::new();
    let outside = bench.home().join("settings.json");
    write(&outside, "{}\n");
    let link = bench.root().join(".mcp.json");
    let targets = [outside.to_str().unwrap(), "../settings.json", "../new/file", ".git/config", "folder/../../x"];
    let refusals = targets.map(|target| {
        symlink(target, &link).unwrap();
        let ran = bench.refuse("");
        fs::remove_file(&link).unwrap();
        ran.snapshot()
    });
    insta::assert_snapshot!(refusals.concat(), @"
    exit status: 1
    --- stderr
    error: `<tmp>/project/.mcp.json` was not changed: it is a link that leads out of the work tree, to `<tmp>/settings.json`
    hint: replace the link by a file, install for yourself with `--global`, or name a file with `--config`
    exit status: 1
    --- stderr
    error: `<tmp>/project/.mcp.json` was not changed: it is a link that leads out of the work tree, to `<tmp>/project/../settings.json`
    hint: replace the link by a file, install for yourself with `--global`, or name a file with `--config`
    exit status: 1
    --- stderr
    error: `<tmp>/project/.mcp.json` was not changed: it is a link that leads out of the work tree, to `<tmp>/project/../new/file`
    hint: replace the link by a file, install for yourself with `--global`, or name a file with `--config`
    exit status: 1
    --- stderr
    error: `<tmp>/project/.mcp.json` was not changed: it is a link that leads out of the work tree, to `<tmp>/project/.git/config`
    hint: replace the link by a file, install for yourself with `--global`, or name a file with `--config`
    exit status: 1
    --- stderr
    error: `<tmp>/project/.mcp.json` was not changed: it is a link that leads out of the work tree, to `<tmp>/project/folder/../../x`
    hint: replace the link by a file, install for yourself with `--global`, or name a file with `--config`
    ");
    symlink(bench.home(), bench.root().join(".cursor")).unwrap();
    insta::assert_snapshot!(bench.refuse("--client cursor").snapshot(), @"
    exit status: 1
    --- stderr
    error: `<tmp>/project/.cursor/mcp.json` was not changed: it is a link that leads out of the work tree, to `<tmp>/project/.cursor/mcp.json`
    hint: replace the link by a file, install for yourself with `--global`, or name a file with `--config`
    ");
    assert_eq!(read(&outside), "{}\n");
    assert!(!bench.home().join("mcp.json").exists());
    // A link inside the repository is allowed.
    symlink("shared/mcp.json", &link).unwrap();
    bench.install("");
    assert_eq!(read(&bench.root().join("shared/mcp.json")), bench.filled(&with_folder(PLAIN)));
    assert!(link.is_symlink());
}

#[test]
fn a_folder_without_the_right_to_write_is_a_clear_error() {
    let bench = Bench::new();
    let folder = bench.home().join("locked");
    write(&folder.join("mcp.json"), "{}");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    let words = format!("--config {}", folder.join("mcp.json").display());
    // Root may write anywhere unless it drops that capability.
    let may_write_anyway = fs::write(folder.join("probe"), "").is_ok();
    let mut command = if may_write_anyway {
        fs::remove_file(folder.join("probe")).unwrap();
        bench.cairn.command_through(&["setpriv", "--bounding-set=-dac_override"], &install_words(&words))
    } else {
        bench.cairn.command(&install_words(&words))
    };
    let ran = Ran::of(command.spawn().unwrap());
    assert_eq!(ran.code(), Some(1), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @r#"
    exit status: 1
    --- stderr
    error: cannot write `<tmp>/locked/mcp.json`: Permission denied (os error 13) at path "<tmp>/locked/<new>"
    hint: nothing was changed; make its folder writable, or paste what `--print` shows
    "#);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no temporary file is left");
    assert_eq!(read(&folder.join("mcp.json")), "{}");
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    const N_WRITERS: usize = 12;
    let bench = Bench::new();
    let file = bench.root().join(".mcp.json");
    write(&file, "{\n  // mine\n  \"mcpServers\": {}\n}\n");
    let start = |n| bench.cairn.command(&install_words(&format!("--name server-{n}"))).spawn().unwrap();
    let mut writers: Vec<Child> = (0..N_WRITERS).map(start).collect();
    while !writers.is_empty() {
        // The file is complete at every moment.
        assert!(read(&file).ends_with("}\n"));
        writers.retain_mut(|writer| match writer.try_wait().unwrap() {
            Some(status) => !status.success() && panic!("a writer failed"),
            None => true,
        });
    }
    let text = read(&file).replace("  // mine\n", "");
    let servers: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(servers["mcpServers"].as_object().unwrap().len(), N_WRITERS, "{text}");
    let strays = fs::read_dir(bench.root()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(strays.filter(|name| name.to_string_lossy().contains("tmp")).count(), 0);
}

#[test]
fn print_shows_a_difference_and_writes_nothing() {
    let bench = Bench::new();
    let ran = bench.install("--client codex --print");
    let lines = format!("+{}\n", bench.filled(CODEX).trim_end().replace('\n', "\n+"));
    let path = bench.root().join(".codex/config.toml");
    let expected = format!("--- /dev/null\n+++ {}\n@@ -0,0 +1,4 @@\n{lines}", path.display());
    assert_eq!(ran.out(), expected);
    assert!(!path.exists() && !path.parent().unwrap().exists());

    let answer = bench.install("--client codex --print --json").json();
    let change = json!({
        "client": "codex", "path": path, "outcome": "added", "diff": expected,
        "advice": "Codex reads a project's settings once you trust the project",
    });
    assert_eq!(answer, json!({"changes": [change], "written": false}));
    assert!(!path.exists());
}

#[test]
fn a_printed_difference_is_a_patch() {
    let bench = Bench::new();
    let file = bench.root().join(".mcp.json");
    let text = "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"mcpServers\": {\n    \"x\": {}\n  },\n  \"d\": 4\n}";
    write(&file, text);
    let difference = bench.install("--print").out().replace(file.to_str().unwrap(), "b/.mcp.json");
    assert_eq!(read(&file), text);
    let difference = difference.replacen("--- b/", "--- a/", 1);
    testkit::git_with_input(&bench.root(), &["apply", "-"], difference.as_bytes());
    let patched = read(&file);
    write(&file, text);
    bench.install("");
    assert_eq!(read(&file), patched);
}

#[test]
fn clients_are_detected_by_their_folders() {
    let bench = Bench::new();
    let ran = bench.refuse("--detect");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 1
    --- stderr
    error: no MCP client found on this machine
    hint: name one with `--client`: claude-code, claude-desktop, cursor, vscode, copilot, windsurf, zed, codex, gemini, opencode, jetbrains
    ");
    for folder in [".cursor", ".codeium/windsurf", ".claude"] {
        fs::create_dir_all(bench.home().join(folder)).unwrap();
    }
    for words in ["--detect --print --json", "--client all --print --json"] {
        let changes = bench.install(words).json()["changes"].clone();
        let clients: Vec<&str> =
            changes.as_array().unwrap().iter().map(|row| row["client"].as_str().unwrap()).collect();
        assert_eq!(clients, ["claude-code", "cursor", "windsurf"]);
    }
}

#[test]
fn any_file_can_be_named() {
    let bench = Bench::new();
    bench.install("--config deep/in/settings.json --client zed");
    let written: Value = serde_json::from_str(&read(&bench.root().join("deep/in/settings.json"))).unwrap();
    assert_eq!(written.as_object().unwrap().keys().collect::<Vec<_>>(), ["context_servers"]);
    bench.install("--config my.toml --client codex --name other");
    assert_eq!(read(&bench.root().join("my.toml")), bench.filled(&CODEX.replace("cairn]", "other]")));
    insta::assert_snapshot!(bench.refuse("--config x --client zed --client cursor").snapshot(), @"
    exit status: 2
    --- stderr
    error: `--config` is one file; say for which one client, with `--client`
    ");
    insta::assert_snapshot!(bench.refuse("--name a.b").snapshot(), @"
    exit status: 2
    --- stderr
    error: invalid value 'a.b' for '--name <NAME>': a name is 1 to 64 letters, digits, `-` or `_`

    For more information, try '--help'.
    ");
}

#[test]
fn more_options_go_to_the_server() {
    let bench = Bench::new();
    bench.install("-- --read-only");
    let args = "\"args\": [\"mcp\", \"start\", \"--read-only\", \"--repo\", \"ROOT\"]";
    assert!(read(&bench.root().join(".mcp.json")).contains(&bench.filled(args)));
    insta::assert_snapshot!(bench.refuse("-- --no-such").snapshot(), @"
    exit status: 2
    --- stderr
    error: the arguments `mcp start --no-such` are not understood
    hint: `cairn mcp start --help` says what may follow `--`
    ");
}

#[test]
fn both_versions_and_all_files_of_opencode_are_known() {
    let bench = Bench::new();
    let file = bench.root().join("opencode.jsonc");
    write(&file, "{\n  // second\n  \"mcp\": {\n    \"servers\": {}\n  }\n}\n");
    bench.install("--client opencode");
    let expected = "{\n  // second\n  \"mcp\": {\n    \"servers\": {\n      \"cairn\": {\n        \"type\": \"local\",\n        \
                    \"command\": [\"PROGRAM\", \"mcp\", \"start\", \"--repo\", \"ROOT\"]\n      }\n    }\n  }\n}\n";
    assert_eq!(read(&file), bench.filled(expected));
    // A server with the name of the container, as in version 1.
    write(&file, "{\"mcp\":{\"servers\":{\"type\":\"local\",\"command\":[\"x\"]}}}");
    bench.install("--client opencode");
    assert!(read(&file).starts_with("{\"mcp\":{\"servers\":{\"type\":\"local\",\"command\":[\"x\"]},\"cairn\":{"));
}

#[test]
fn a_program_on_the_path_is_called_by_its_name_where_there_is_a_shell() {
    let bench = Bench::new();
    let folder = Path::new(env!("CARGO_BIN_EXE_cairn")).parent().unwrap();
    let mut command = bench.cairn.command(&install_words("--client claude-code --client windsurf"));
    let ran = Ran::of(command.env("PATH", folder).spawn().unwrap());
    assert!(ran.status.success(), "{ran}");
    insta::assert_snapshot!(lines_with(&read(&bench.root().join(".mcp.json")), "\"command\"").trim(), @r#""command": "cairn","#);
    let windsurf = read(&bench.home().join(".codeium/windsurf/mcp_config.json"));
    assert!(windsurf.contains(&bench.filled("\"command\": \"PROGRAM\"")), "{windsurf}");
}

#[test]
fn a_bare_repository_is_served_but_has_no_settings() {
    let bench = Bench::with(Layout::BARE);
    let ran = bench.refuse("");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 2
    --- stderr
    error: this repository is bare: it has no folder for project settings
    hint: install for yourself with `--global`, or name a file with `--config`
    ");
    bench.install("--global");
    insta::assert_snapshot!(lines_with(&read(&bench.home().join(".claude.json")), "\"args\"").trim(), @r#""args": ["mcp", "start", "--repo", "<tmp>/project.git"],"#);
    let ran = bench.cairn.at(&bench.home()).run(&["mcp", "install"]);
    assert_eq!(ran.code(), Some(3), "{ran}");
}

#[test]
fn a_folder_below_and_a_named_repository_mean_the_top() {
    let bench = Bench::new();
    let below = bench.root().join("src/deep");
    fs::create_dir_all(&below).unwrap();
    bench.cairn.at(&below).ok(&["mcp", "install"]);
    assert_eq!(read(&bench.root().join(".mcp.json")), bench.filled(&with_folder(PLAIN)));
    fs::remove_file(bench.root().join(".mcp.json")).unwrap();
    let elsewhere = bench.cairn.at(&bench.home());
    elsewhere.ok(&["-C", bench.root().to_str().unwrap(), "mcp", "install"]);
    assert_eq!(read(&bench.root().join(".mcp.json")), bench.filled(&with_folder(PLAIN)));
}

/// Every dialect with its server name, and its former program name.
const SERVERS: [(&str, &str); 6] = [
    ("cairn", "cairn"),
    ("mile", "git-mile"),
    ("lazygit", "lazygit-mcp-bridge"),
    ("quicksilver", "quicksilver-mcp"),
    ("ultragit", "ultragit"),
    ("taiga", "taiga-mcp"),
];

/// Runs `mcp install` under a program name, with its links on the `PATH` or not.
fn install_as(bench: &Bench, name: &str, is_on_path: bool, words: &[&str]) {
    let links = bench.home().join("links");
    let folders = if is_on_path { links.to_str().unwrap() } else { "/nowhere" };
    let usual = bench.cairn.command::<&str>(&[]);
    let mut command = std::process::Command::new(links.join(name));
    command.args(["mcp", "install"]).args(words).current_dir(bench.root()).env_clear();
    command.envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = command.env("PATH", format!("{folders}:/usr/bin:/bin")).output().expect("it starts");
    assert!(output.status.success(), "{name} {words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn an_entry_starts_the_dialect_it_is_named_after() {
    let bench = Bench::new();
    let links = bench.home().join("links");
    bench.cairn.ok(&["compat", "link", "--dir", links.to_str().unwrap()]);
    symlink(env!("CARGO_BIN_EXE_cairn"), links.join("cairn")).unwrap();
    for program in ["cairn", "git-cairn"] {
        for is_on_path in [true, false] {
            for (dialect, server) in SERVERS {
                install_as(&bench, program, is_on_path, &["--dialect", dialect]);
                install_as(&bench, program, is_on_path, &["--dialect", dialect, "--client", "claude-desktop"]);
                install_as(&bench, program, is_on_path, &["--dialect", dialect, "--global"]);
                install_as(&bench, program, is_on_path, &["--name", server, "--client", "codex"]);
            }
            let mut doctor = bench.cairn.command(&["mcp", "doctor", "--json", "--timeout", "60"]);
            let path = format!("{}:/usr/bin:/bin", links.display());
            let answer = Ran::of(doctor.env("PATH", path).spawn().unwrap()).json();
            let rows = answer["servers"].as_array().unwrap();
            assert_eq!(rows.len(), 4 * SERVERS.len(), "{answer}");
            for row in rows {
                assert_eq!((&row["outcome"], &row["server"]["name"]), (&json!("ok"), &row["name"]), "{program}: {row}");
            }
        }
    }
}

#[test]
fn a_name_of_another_contract_is_refused() {
    let bench = Bench::new();
    let ran = bench.refuse("--name ultragit --dialect mile");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 2
    --- stderr
    error: `ultragit` is the name of the `ultragit` server, and this entry would start `mile`
    hint: leave `--name` or `--dialect` out, or choose another name
    ");
    let ran = bench.refuse("--name taiga-mcp -- --dialect mile");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 2
    --- stderr
    error: `taiga-mcp` is the name of the `taiga` server, and this entry would start `mile`
    hint: leave `--name` or `--dialect` out, or choose another name
    ");
}
