//! `cairn taiga`: login, logout, binding a repository, and where secrets must not be stored.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use testkit::TestRepository;
use testkit::taiga::{FakeTaiga, PASSWORD};

/// A user's environment: a repository, a state folder, and a server.
struct Fixture {
    repository: TestRepository,
    taiga: FakeTaiga,
}

impl Fixture {
    fn new() -> Self {
        Self { repository: TestRepository::new(), taiga: FakeTaiga::start() }
    }

    fn state(&self) -> PathBuf {
        self.repository.directory_path().join("state/cairn/taiga")
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        command.args(words).current_dir(self.repository.path());
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").env_remove("GIT_DIR");
        command.env("XDG_STATE_HOME", self.repository.directory_path().join("state")).env("CAIRN_KEYRING", "off");
        command.env_remove("CAIRN_TAIGA_URL").env_remove("CAIRN_TAIGA_TOKEN");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, words: &[&str], input: &str) -> Output {
        finish(self.command(words), input)
    }

    /// Runs a command that must succeed and returns its JSON.
    #[track_caller]
    fn json(&self, words: &[&str], input: &str) -> Value {
        let output = self.run(&[words, &["--json"]].concat(), input);
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Runs a command that must fail with this code and error.
    #[track_caller]
    fn fails(&self, words: &[&str], input: &str, code: i32, text: &str) {
        let output = self.run(words, input);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        assert_eq!(testkit::redact(said.trim_end()).replace(self.taiga.url(), "<url>"), text, "{words:?}");
        assert!(output.stdout.is_empty());
    }

    fn log_in(&self) -> Value {
        let words = ["taiga", "login", self.taiga.url(), "--username", "alice", "--name", "Harbour"];
        self.json(&words, &format!("{PASSWORD}\n"))
    }
}

fn finish(mut command: Command, input: &str) -> Output {
    let mut process = command.spawn().unwrap();
    // A command that fails early does not read its input.
    let _ = process.stdin.take().unwrap().write_all(input.as_bytes());
    process.wait_with_output().unwrap()
}

#[test]
fn a_server_that_takes_over_a_name_does_not_take_over_its_project() {
    let mut fixture = Fixture::new();
    fixture.log_in();
    assert_eq!(fixture.json(&["taiga", "use", "kiosk-kanban"], "")["project"]["id"], 2);
    fixture.taiga = FakeTaiga::start();
    fixture.log_in();
    let status = fixture.json(&["taiga", "status"], "");
    assert_eq!((&status["instance"]["name"], &status["project"]), (&json!("harbour"), &Value::Null));
}

#[test]
fn a_person_logs_in_chooses_a_project_and_leaves() {
    let fixture = Fixture::new();
    let harbour = json!({"name": "harbour", "url": fixture.taiga.url(), "username": "alice", "keeper": "file"});
    assert_eq!(fixture.json(&["taiga"], ""), json!({"instance": null, "project": null, "instances": []}));
    assert_eq!(fixture.log_in(), harbour);
    assert_eq!(fixture.json(&["taiga", "status"], "")["instances"], json!([harbour]));
    let projects = fixture.json(&["taiga", "projects"], "");
    let slugs: Vec<&str> =
        projects.as_array().unwrap().iter().map(|project| project["slug"].as_str().unwrap()).collect();
    assert_eq!(slugs, ["big-backlog", "harbour-logistics", "kiosk-kanban"]);
    let kanban = json!({"id": 2, "slug": "kiosk-kanban", "name": "Kiosk Kanban", "active": true});
    let used = fixture.json(&["taiga", "use", "kiosk-kanban"], "");
    assert_eq!(used, json!({"instance": harbour, "project": kanban, "instances": [harbour]}));
    assert_eq!(fixture.json(&["taiga", "use", "2"], ""), used);
    let local = fixture.json(&["taiga", "use", "--local"], "");
    assert_eq!((&local["instance"], &local["project"]), (&Value::Null, &Value::Null));
    // The project of a server is stored for the next time the repository is bound to it.
    assert_eq!(fixture.json(&["taiga", "use", "--instance", "harbour"], ""), used);
    assert_eq!(fixture.json(&["taiga", "logout"], ""), harbour);
    assert_eq!(std::fs::read_to_string(fixture.state().join("instances.json")).unwrap(), "{\"instances\":[]}");
    assert!(!fixture.state().join("harbour.token.json").exists());
}

/// With a helper of git's own; `status` of a server needs the token again.
#[test]
fn a_credential_helper_keeps_the_token_when_chosen() {
    let fixture = Fixture::new();
    let folder = fixture.repository.directory_path();
    let (settings, entries) = (folder.join("gitconfig"), folder.join("credentials"));
    std::fs::write(&settings, format!("[credential]\n\thelper = store --file={}\n", entries.display())).unwrap();
    let run = |keyring: &str, words: &[&str]| {
        let mut command = fixture.command(&[words, &["--json"]].concat());
        command.env("GIT_CONFIG_GLOBAL", &settings).env("CAIRN_KEYRING", keyring);
        let output = finish(command, &format!("{PASSWORD}\n"));
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let stored = || std::fs::read_to_string(&entries).unwrap_or_default();
    let login = ["taiga", "login", fixture.taiga.url(), "--username", "alice", "--name", "Harbour"];
    assert_eq!(run("on", &login)["keeper"], "keyring");
    assert_eq!(stored().matches("@harbour.taiga.cairn.invalid").count(), 1);
    assert!(!fixture.state().join("harbour.token.json").exists());
    // The storage of an earlier login is remembered, whatever the environment says later.
    assert_eq!(run("off", &["taiga", "projects"]).as_array().map(Vec::len), Some(3));
    fixture.taiga.expire_access_tokens();
    let before = stored();
    assert_eq!(run("off", &["taiga", "projects"]).as_array().map(Vec::len), Some(3));
    assert_ne!(stored(), before, "the renewed tokens are stored");

    // A login with the other storage leaves nothing behind in the first.
    assert_eq!(run("off", &login)["keeper"], "file");
    assert_eq!(stored(), "");
    assert_eq!(run("on", &login)["keeper"], "keyring");
    assert!(!fixture.state().join("harbour.token.json").exists());
    run("off", &["taiga", "logout"]);
    assert_eq!(stored(), "");
}

#[test]
fn a_login_fails_when_no_helper_keeps_the_token() {
    let fixture = Fixture::new();
    let words = ["taiga", "login", fixture.taiga.url(), "--username", "alice", "--name", "Harbour"];
    let mut command = fixture.command(&words);
    command.env("CAIRN_KEYRING", "on");
    let output = finish(command, &format!("{PASSWORD}\n"));
    insta::assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @"
    error: cannot store the token in the keyring: no credential helper of git kept it
    hint: name a helper with `git config --global credential.helper NAME`, or unset `CAIRN_KEYRING`
    ");
    assert_eq!(output.status.code(), Some(1));
    assert!(!fixture.state().join("instances.json").exists());
}

#[cfg(unix)]
#[test]
fn stored_tokens_are_readable_by_the_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    fixture.log_in();
    let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(fixture.state()), 0o700);
    for file in ["harbour.token.json", "harbour.token.lock", "instances.json", "instances.lock"] {
        assert_eq!(mode(fixture.state().join(file)), 0o600, "{file}");
    }
}

/// No token appears in the repository, in any output, or in the process arguments.
#[test]
fn secrets_stay_where_they_belong() {
    let fixture = Fixture::new();
    fixture.log_in();
    fixture.json(&["taiga", "use", "kiosk-kanban"], "");
    let file = std::fs::read_to_string(fixture.state().join("harbour.token.json")).unwrap();
    let pair: Value = serde_json::from_str(&file).unwrap();
    let secrets = [PASSWORD, pair["auth_token"].as_str().unwrap(), pair["refresh"].as_str().unwrap()];
    let words = ["status", "projects", "use --instance harbour", "logout"];
    for line in words {
        for format in [&[][..], &["--json"]] {
            let arguments: Vec<&str> =
                ["taiga"].into_iter().chain(line.split(' ')).chain(format.iter().copied()).collect();
            let output = fixture.run(&arguments, "");
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            assert!(secrets.iter().all(|secret| !said.contains(secret)), "{line}");
        }
    }
    let found = Command::new("grep").args(["-rlF", secrets[1]]).arg(fixture.repository.path()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout), "");
    let help = fixture.run(&["taiga", "login", "--help"], "");
    assert!(!String::from_utf8(help.stdout).unwrap().contains("--password"));
}

#[test]
fn errors_have_hints() {
    let fixture = Fixture::new();
    let url = fixture.taiga.url();
    fixture.fails(
        &["taiga", "projects"],
        "",
        1,
        "error: you are not logged in to any Taiga\nhint: `cairn taiga login URL` logs in to one",
    );
    fixture.fails(
        &["taiga", "logout", "harbour"],
        "",
        1,
        "error: you are not logged in to a Taiga called `harbour`\nhint: `cairn taiga login URL` logs in to one",
    );
    fixture.fails(&["taiga", "use"], "", 2, "error: the following required arguments were not provided:\n  <PROJECT>\n\nUsage: cairn taiga use <PROJECT>\n\nFor more information, try '--help'.");
    fixture.fails(&["taiga", "use", "x", "--local"], "", 2, "error: the argument '[PROJECT]' cannot be used with '--local'\n\nUsage: cairn taiga use <PROJECT>\n\nFor more information, try '--help'.");
    fixture.fails(
        &["taiga", "login", url, "--username", "alice"],
        "wrong\n",
        1,
        "error: No active account found with the given credentials\nhint: check the user name and the password",
    );
    fixture.fails(
        &["taiga", "login", url, "--username", "alice"],
        "",
        2,
        "error: the password is empty\nhint: type it when asked, or pipe it in",
    );
    fixture.fails(&["taiga", "login", url], "secret\n", 2, "error: missing `--username`\nhint: give `--username NAME`");
    fixture.fails(&["taiga", "login", url, "--token"], "nonsense\n", 1, "error: Given token not valid for any token type\nhint: check the token; that of an application goes into `CAIRN_TAIGA_TOKEN`, not here");
    fixture.fails(&["taiga", "login", "http://taiga.example.org", "--username", "a"], "x\n", 2, "error: `http://taiga.example.org` is not encrypted; your password and token would be readable on the way\nhint: use its address with `https://`, or a tunnel that ends on this machine");
    let bare = "error: the address of the server must begin with `https://` or `http://`\n\
                hint: did you mean `https://taiga.example.org/`?";
    fixture.fails(&["taiga", "login", "taiga.example.org/", "--username", "a"], "x\n", 2, bare);
    fixture.fails(
        &["taiga", "login", "u:sesame@taiga.example.org", "--username", "a"],
        "x\n",
        2,
        "error: the address of the server must begin with `https://` or `http://`",
    );
    fixture.fails(
        &["taiga", "login", "ftp://taiga.example.org", "--username", "a"],
        "x\n",
        2,
        "error: the address of the server must begin with `https://` or `http://`",
    );
    fixture.fails(
        &["taiga", "login", url, "--username", "alice", "--name", "../x"],
        PASSWORD,
        2,
        "error: invalid server name `../x`\nhint: give one of letters, digits, `-`, `_` and `.` with `--name`",
    );
    assert!(!fixture.state().join("instances.json").exists(), "nothing was remembered");
    fixture.log_in();
    fixture.fails(
        &["taiga", "use", "no-such-project"],
        "",
        1,
        "error: project not found\nhint: `cairn taiga projects` lists those you are a member of",
    );
    fixture.fails(&["taiga", "use", "4"], "", 1, "error: You do not have permission to perform this action.\nhint: the server does not let this user do it; ask an administrator of the project");
    assert_eq!(fixture.json(&["taiga"], "")["instance"], Value::Null, "the repository is as it was");
    fixture.taiga.cut_next(10);
    // How the system names a closed connection differs.
    let said = fixture.run(&["taiga", "projects"], "").stderr;
    assert!(said.starts_with(b"error: network unreachable: cannot talk to `127.0.0.1`: "), "{}", said.escape_ascii());
    std::fs::write(fixture.state().join("instances.json"), "{").unwrap();
    fixture.fails(
        &["taiga", "status"],
        "",
        1,
        "error: `<tmp>/state/cairn/taiga/instances.json` is damaged at line 1\nhint: remove it, then log in again",
    );
}

/// A URL that is not a Taiga, or a Taiga that fails: each error has a hint.
#[test]
fn other_web_servers_are_distinguished_from_a_failing_taiga() {
    let fixture = Fixture::new();
    let url = format!("{}/project/kiosk", fixture.taiga.url());
    let log_in = |url: &str, text: &str| {
        fixture.fails(&["taiga", "login", url, "--username", "alice"], PASSWORD, 1, text);
    };
    let web_page = "error: `/auth` was answered with a web page: is this the address of a Taiga's API?\n\
        hint: give the address where Taiga begins, without the page you are on; for Taiga's own cloud, \
        `https://api.taiga.io`";
    log_in(&url, web_page);
    fixture.taiga.fail_next(1, 405);
    log_in(fixture.taiga.url(), web_page);
    for status in [500, 502] {
        fixture.taiga.fail_next(1, status);
        let hint = "hint: the server itself failed; try again later, or ask its administrator";
        log_in(fixture.taiga.url(), &format!("error: the server failed with status {status}\n{hint}"));
    }
    fixture.taiga.throttle_next(1, std::time::Duration::from_secs(59));
    log_in(fixture.taiga.url(), "error: rate limited\nhint: wait 59 seconds, then try again");
    assert!(!fixture.state().join("instances.json").exists(), "nothing was remembered");
}

/// If one of the two variables is missing or expired, the error names it.
#[test]
fn missing_environment_variable_is_named() {
    let fixture = Fixture::new();
    let told = |variables: &[(&str, &str)], words: &[&str]| {
        let mut command = fixture.command(words);
        command.envs(variables.iter().copied());
        testkit::redact(&String::from_utf8(finish(command, "").stderr).unwrap())
    };
    let (url, token) = (("CAIRN_TAIGA_URL", fixture.taiga.url()), ("CAIRN_TAIGA_TOKEN", "spent"));
    insta::assert_snapshot!(told(&[url], &["taiga", "projects"]), @"
    error: you are not logged in to any Taiga
    hint: set `CAIRN_TAIGA_TOKEN` too, or log in with `cairn taiga login URL`
    ");
    insta::assert_snapshot!(told(&[token], &["taiga", "pull"]), @"
    error: you are not logged in to any Taiga
    hint: set `CAIRN_TAIGA_URL` too, or log in with `cairn taiga login URL`
    ");
    insta::assert_snapshot!(told(&[url, token], &["taiga", "projects"]), @"
    error: Given token not valid for any token type
    hint: log in with `cairn taiga login URL`, or renew `CAIRN_TAIGA_TOKEN` where it is set
    ");
    insta::assert_snapshot!(told(&[url, token], &["taiga", "pull", "2"]), @"
    error: Given token not valid for any token type
    hint: log in with `cairn taiga login URL`, or renew `CAIRN_TAIGA_TOKEN` where it is set
    ");
    let written = format!("Bearer {}", fixture.taiga.log_in("alice").access);
    assert_eq!(told(&[url, ("CAIRN_TAIGA_TOKEN", &written)], &["taiga", "projects"]), "");
}

/// In CI nobody logs in, and nothing is written.
#[test]
fn the_environment_names_a_server_for_one_process() {
    let fixture = Fixture::new();
    let bearer = fixture.taiga.log_in("alice").access;
    let application = format!("Application {}", fixture.taiga.application_token("alice"));
    for token in [bearer, application] {
        let with = |words: &[&str]| {
            let mut command = fixture.command(words);
            command.env("CAIRN_TAIGA_URL", fixture.taiga.url()).env("CAIRN_TAIGA_TOKEN", &token);
            let output = finish(command, "");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            serde_json::from_slice::<Value>(&output.stdout).unwrap()
        };
        assert_eq!(with(&["taiga", "projects", "--json"]).as_array().map(Vec::len), Some(3));
        assert_eq!(with(&["taiga", "--json"])["instance"]["keeper"], "environment");
        let call =
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"taiga.list_epics","arguments":{}}}"#;
        let mut server = fixture.command(&["mcp", "start", "--dialect", "taiga"]);
        server.env("CAIRN_TAIGA_URL", fixture.taiga.url()).env("CAIRN_TAIGA_TOKEN", &token);
        let said = String::from_utf8(finish(server, &format!("{call}\n")).stdout).unwrap();
        insta::allow_duplicates! {
            insta::assert_snapshot!(testkit::redact(&said), @r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"ok\":false,\"error\":{\"category\":\"validation\",\"message\":\"Active project not set\",\"httpStatus\":400,\"_traceId\":\"<id>\"}}"}],"structuredContent":{"ok":false,"error":{"category":"validation","message":"Active project not set","httpStatus":400,"_traceId":"<id>"}},"isError":true}}"#);
        }
    }
    assert!(!fixture.state().exists(), "nothing was written");
}

/// Two instances: each has its own token, and its own project in this repository.
#[test]
fn several_instances_are_kept_apart() {
    let fixture = Fixture::new();
    let other = FakeTaiga::start_under("/agile");
    fixture.log_in();
    fixture.json(&["taiga", "login", other.url(), "--username", "bob", "--name", "second"], PASSWORD);
    fixture.fails(
        &["taiga", "use", "open-atlas"],
        "",
        2,
        "error: you are logged in to several Taigas\nhint: name one of harbour, second",
    );
    fixture.json(&["taiga", "use", "open-atlas", "--instance", "second"], "");
    let first = fixture.json(&["taiga", "use", "kiosk-kanban", "--instance", "harbour"], "");
    assert_eq!(first["project"]["slug"], "kiosk-kanban");
    let second = fixture.json(&["taiga", "use", "--instance", "second"], "");
    assert_eq!((&second["project"]["slug"], &second["instance"]["username"]), (&json!("open-atlas"), &json!("bob")));
    fixture.json(&["taiga", "logout", "second"], "");
    fixture.fails(&["taiga", "status"], "", 1, "error: you are not logged in to a Taiga called `second`\nhint: you are logged in to harbour; `cairn taiga use --local` works on the repository's own items");
    assert_eq!(fixture.json(&["taiga", "use", "--local"], "")["instances"].as_array().map(Vec::len), Some(1));
}
