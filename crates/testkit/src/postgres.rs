//! A private PostgreSQL from the system's packages: own data directory, own port, none of the machine's clusters.
//!
//! A shell owns the server. It waits for the end of its standard input, which the kernel closes when the test process
//! ends in any way, then stops the server and removes its directory. So neither a panic nor a kill leaves anything.

mod database;
mod program;
mod replication;
mod tls;

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;

use crate::skip::skip;
pub use database::TestDatabase;
use program::Programs;

/// How often a server is started again because another process took its port in between.
const MAX_ATTEMPTS: usize = 5;

/// The owner of test databases: no superuser, since none is needed.
const OWNER: &str = "cairn";

/// Creates a directory, prepares it, starts the server and waits for the end of the input. `$1` is the port, `$2`
/// prepares the data directory. `fsync` is off: tests kill servers, never the kernel, so the page cache survives.
const SUPERVISOR: &str = r#"
dir=$(mktemp -d "${TMPDIR:-/tmp}/cairn-postgres.XXXXXX") || exit 1
trap 'pg_ctl stop --silent --mode=immediate --pgdata="$dir/data" >/dev/null 2>&1; rm -rf "$dir"' EXIT
trap '' INT TERM HUP
cd "$dir" && sh -c "$2" >prepare.log 2>&1 || { cat prepare.log >&2; exit 1; }
chmod 700 data
echo "fsync = off
listen_addresses = '127.0.0.1'
port = $1
unix_socket_directories = '$dir'
max_connections = 200" >>data/postgresql.conf
pg_ctl start --silent --wait --timeout=60 --pgdata="$dir/data" --log="$dir/server.log" >/dev/null || {
  cat "$dir/server.log" >&2
  exit 1
}
echo "$dir"
cat >/dev/null
"#;

const NEW_CLUSTER: &str =
    "initdb --pgdata=data --username=postgres --auth=trust --encoding=UTF8 --locale=C --no-sync --no-instructions";

/// A running server; stopped and removed when dropped, or when the test process ends.
#[derive(Debug)]
pub struct Postgres {
    programs: Programs,
    port: u16,
    directory: PathBuf,
    supervisor: Child,
    // Closing it ends the supervisor.
    input: Option<ChildStdin>,
}

impl Postgres {
    /// Returns the server that all tests of this process share; `None`, after [`skip`], without PostgreSQL.
    #[track_caller]
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Postgres>> = OnceLock::new();
        let shared = SHARED.get_or_init(|| Programs::find().map(Self::cluster)).as_ref();
        if shared.is_none() {
            skip("PostgreSQL is not installed (`apt-get install postgresql`)");
        }
        shared
    }

    /// Starts a server of its own, for tests that stop it; `None`, after [`skip`], without PostgreSQL.
    #[track_caller]
    pub fn start() -> Option<Self> {
        let programs = Programs::find();
        if programs.is_none() {
            skip("PostgreSQL is not installed (`apt-get install postgresql`)");
        }
        programs.map(Self::cluster)
    }

    fn cluster(programs: Programs) -> Self {
        let server = Self::prepared(programs, NEW_CLUSTER);
        server.sql("postgres", &format!("CREATE ROLE {OWNER} LOGIN"));
        server
    }

    fn prepared(programs: Programs, preparation: &str) -> Self {
        for _ in 1..MAX_ATTEMPTS {
            if let Ok(server) = Self::try_prepared(programs.clone(), preparation) {
                return server;
            }
        }
        Self::try_prepared(programs, preparation).unwrap_or_else(|error| panic!("PostgreSQL does not start: {error}"))
    }

    fn try_prepared(programs: Programs, preparation: &str) -> Result<Self, String> {
        let port = free_port();
        let mut command = programs.command("sh");
        command.args(["-c", SUPERVISOR, "sh", &port.to_string(), preparation]);
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut supervisor = spawned.map_err(|error| error.to_string())?;
        let (input, output) = (supervisor.stdin.take(), supervisor.stdout.take().expect("it was asked for"));
        let mut line = String::new();
        let _ = BufReader::new(output).read_line(&mut line);
        if line.trim().is_empty() {
            let _ = supervisor.wait();
            return Err("see the server's log above".to_owned());
        }
        Ok(Self { programs, port, directory: line.trim().into(), supervisor, input })
    }

    /// Creates an empty database, owned by a user without superuser rights.
    pub fn database(&self) -> TestDatabase<'_> {
        TestDatabase::create(self)
    }

    /// Returns the address of the server.
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// Prepares a run of one of PostgreSQL's programs.
    pub fn program(&self, name: &str) -> Command {
        self.programs.command(name)
    }

    /// Runs SQL as the superuser and returns the rows, with `|` between columns.
    pub fn sql(&self, database: &str, sql: &str) -> String {
        self.try_sql(database, sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    fn try_sql(&self, database: &str, sql: &str) -> Result<String, String> {
        let (port, options) = (self.port.to_string(), ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]);
        let mut psql = self.programs.command("psql");
        psql.args(options).args(["--set=ON_ERROR_STOP=1", "--host=127.0.0.1", "--username=postgres", "--port", &port]);
        psql.args(["--dbname", database, "--command", sql]);
        // A test may have stopped the standby that a commit would wait for.
        psql.env("PGOPTIONS", "-c synchronous_commit=local");
        let output = psql.output().map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    /// Stops the server as a crash does: no checkpoint, clients are cut off.
    pub fn crash(&self) {
        self.control(&["stop", "--mode=immediate"]);
    }

    /// Kills the main process of the server with SIGKILL, as a machine that loses power: it can say goodbye to nobody.
    /// Returns when it no longer accepts connections.
    pub fn kill(&self) {
        let kill = r#"kill -9 "$(head -n 1 "$1/data/postmaster.pid")""#;
        let status = self.programs.command("sh").args(["-c", kill, "sh"]).arg(&self.directory).status();
        assert!(status.is_ok_and(|status| status.success()), "it runs");
        while std::net::TcpStream::connect(self.address()).is_ok() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    /// Starts the server again after [`Postgres::crash`], on the same port.
    pub fn restart(&self) {
        let log = self.directory.join("server.log");
        self.control(&["start", "--timeout=60", "--log", log.to_str().expect("temporary paths are UTF-8")]);
    }

    fn control(&self, arguments: &[&str]) {
        let mut command = self.programs.command("pg_ctl");
        command.args(arguments).args(["--silent", "--wait", "--pgdata"]).arg(self.directory.join("data"));
        // The server would keep pipes open.
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(status.is_ok_and(|status| status.success()), "pg_ctl {arguments:?}");
    }

    /// Returns the directory of the server, which is removed with it.
    pub fn directory(&self) -> &Path {
        &self.directory
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.supervisor.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("it is bound").port()
}

#[cfg(test)]
mod tests;
