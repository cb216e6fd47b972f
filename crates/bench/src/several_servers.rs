//! Several servers on one database: creates per second beside `pgbench` on the same PostgreSQL, the cost of a read, and
//! the time in which a new server catches up.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use testkit::postgres::{Postgres, TestDatabase};
use xtask::served::Served;

use super::crowd;
use super::history::Size;
use super::measure::{Timing, read, run, running_cpu};
use super::scenes::{Stage, beside};
use super::scratch::Repository;
use super::statistics::{Summary, percentile_of};
use super::talk::{CREATE, LIST};
use super::verdict::{Limit, Outcome, Row, Verdict};

/// Connections in all, to any number of servers; as many clients of `pgbench`.
const N_CLIENTS: usize = 48;
/// Size of the inserted rows in bytes: about that of a commit with one create.
const ROW_SIZE: usize = 512;
/// Minimum rate of creates, compared with the grouped inserts.
const MIN_RATE: f64 = 0.5;
/// What asking the database may add to a read.
const READ: Limit = Limit { times: 1.0, plus: Duration::from_millis(1) };
/// How long a new server may take for a history of 100,000 operations.
const MAX_CATCH_UP: Duration = Duration::from_secs(10);
const N_OPS: usize = 100_000;

/// How `pgbench` inserts.
#[derive(Debug, Clone, Copy)]
struct Inserts {
    n_clients: usize,
    /// Rows per transaction.
    n_rows: usize,
    order: RowOrder,
}

/// Whether the inserted rows have an order that all clients agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowOrder {
    /// Transactions commit beside each other.
    Unordered,
    /// Each transaction updates one row first, as each publication moves the one ref: they commit one after the other.
    Total,
}

impl Inserts {
    fn unordered(n_clients: usize, n_rows: usize) -> Self {
        Self { n_clients, n_rows, order: RowOrder::Unordered }
    }

    /// The script of one transaction.
    fn script(self) -> String {
        let insert = format!("INSERT INTO inserted (content) VALUES (decode(repeat('ab', {ROW_SIZE}), 'hex'));\n");
        let number = match self.order {
            RowOrder::Unordered => String::new(),
            RowOrder::Total => format!("UPDATE numbered SET n = n + {};\n", self.n_rows),
        };
        if self.n_rows == 1 { insert } else { format!("BEGIN;\n{number}{}COMMIT;\n", insert.repeat(self.n_rows)) }
    }

    fn name(self) -> String {
        let Self { n_clients, n_rows, order } = self;
        let grouped = if n_rows == 1 { "one commit each".to_owned() } else { format!("{n_rows} in a commit") };
        let ordered = if order == RowOrder::Total { ", in one order" } else { "" };
        format!("pgbench, rows of {ROW_SIZE} bytes, clients: {n_clients}, {grouped}{ordered}")
    }
}

/// Rows per second of grouped inserts.
#[derive(Debug, Clone, Copy)]
struct GroupedRates {
    /// Beside each other; the limit compares with this one.
    rate: f64,
    /// In one order.
    ordered_rate: f64,
}

impl Stage<'_> {
    /// Servers with a clone each, on one database. The CPU time of a create is that of all servers and of PostgreSQL.
    pub(crate) fn several_servers(&self) -> Result<Vec<Row>, String> {
        let server = Postgres::start().ok_or("PostgreSQL is not installed")?;
        // The server of tests does not wait for the disk; this comparison is about that.
        server.sql("postgres", "ALTER SYSTEM SET fsync = on");
        server.sql("postgres", "SELECT pg_reload_conf()");
        let mut rows = Vec::new();
        for n_rows in [1, 16] {
            rows.push(self.inserting(&server, Inserts::unordered(N_CLIENTS, n_rows))?.0);
        }
        for n_servers in 1..=3 {
            // Grouped as the servers do: each sends one transaction at a time, with the rows of all clients that wait.
            let unordered = Inserts::unordered(n_servers, N_CLIENTS / n_servers);
            let (row, rate) = self.inserting(&server, unordered)?;
            rows.push(row);
            let (row, ordered_rate) = self.inserting(&server, Inserts { order: RowOrder::Total, ..unordered })?;
            rows.push(row);
            rows.push(self.creating_through(&server, n_servers, GroupedRates { rate, ordered_rate })?);
        }
        rows.extend(self.asking(&server)?);
        rows.push(self.catching_up(&server)?);
        Ok(rows)
    }

    fn seconds(&self) -> u64 {
        if self.is_quick { 4 } else { 20 }
    }

    /// Inserts rows of the size of an operation; returns the row of the page and the rate.
    fn inserting(&self, server: &Postgres, inserts: Inserts) -> Result<(Row, f64), String> {
        let database = server.database();
        database.sql("CREATE TABLE inserted (id bigserial PRIMARY KEY, content bytea NOT NULL)");
        database.sql("CREATE TABLE numbered (n bigint NOT NULL) WITH (fillfactor = 10)");
        database.sql("INSERT INTO numbered VALUES (0)");
        database.sql("ALTER TABLE inserted OWNER TO cairn");
        database.sql("ALTER TABLE numbered OWNER TO cairn");
        let place = server.directory().join("pgbench.sql");
        fs::write(&place, inserts.script()).map_err(|error| format!("cannot write `{}`: {error}", place.display()))?;
        let mut pgbench = server.program("pgbench");
        let (clients, seconds) = (inserts.n_clients.to_string(), self.seconds().to_string());
        let jobs = inserts.n_clients.min(2).to_string();
        pgbench.args(["--no-vacuum", "--jobs", &jobs, "--client", &clients, "--time", &seconds, "--file"]);
        let said = read(pgbench.arg(&place).arg(database.url()))?;
        let rate = transactions_per_second(&said).ok_or_else(|| format!("`pgbench` says no rate: {said}"))?;
        let rate = rate * f64::from(u32::try_from(inserts.n_rows).unwrap_or(1));
        Ok((Row { what: inserts.name(), timing: None, floor: None, verdict: Verdict::told_rate(rate) }, rate))
    }

    fn creating_through(&self, server: &Postgres, n_servers: usize, grouped: GroupedRates) -> Result<Row, String> {
        let database = server.database();
        let servers = self.servers(&database, n_servers, &format!("creating-{n_servers}"))?;
        let time = Duration::from_secs(self.seconds());
        let processes: Vec<u32> = servers.iter().map(Served::pid).chain(main_process(server)).collect();
        let cpu = || processes.iter().map(|process| running_cpu(*process)).sum::<Option<Duration>>();
        let (start, cpu_before) = (Instant::now(), cpu());
        let times = thread::scope(|scope| {
            let asking = |served: &Served| {
                let url = at_dialect(served, "quicksilver");
                scope.spawn(move || crowd::asking(&url, CREATE, N_CLIENTS / n_servers, time))
            };
            let threads: Vec<_> = servers.iter().map(asking).collect();
            let mut times = Vec::new();
            for thread in threads {
                times.extend(thread.join().map_err(|_| "a client broke down".to_owned())??);
            }
            Ok::<_, String>(times)
        })?;
        let wall = Summary::of(&times).ok_or("nobody was answered")?;
        let n_answers = u32::try_from(times.len()).unwrap_or(u32::MAX);
        let cpu = cpu().zip(cpu_before).map(|(after, before)| after.saturating_sub(before) / n_answers);
        let rate = f64::from(n_answers) / start.elapsed().as_secs_f64();
        let mut verdict = Verdict::speed_up(rate, grouped.rate, MIN_RATE);
        let (beside_ordered, slowest) = (rate / grouped.ordered_rate, percentile_of(&times, 99).as_millis());
        verdict.ratio = format!("{} ({beside_ordered:.2}× in one order), p99 {slowest} ms", verdict.ratio);
        let what = format!("create_task over HTTP, {N_CLIENTS} connections, servers: {n_servers}");
        Ok(Row { what, timing: Some(Timing { wall, cpu }), floor: None, verdict })
    }

    /// A list by one client, from a clone alone and from a clone with a database.
    fn asking(&self, server: &Postgres) -> Result<Vec<Row>, String> {
        let database = server.database();
        let shared = self.servers(&database, 1, "asking")?;
        let alone = self.fresh("asking-alone")?;
        let alone = Served::start(&mut alone.cairn(self.cairn, &[]), &[])?;
        let time = Duration::from_secs(self.seconds() / 2 + 1);
        let ask = |served: &Served| crowd::asking(&at_dialect(served, "mile"), LIST, 1, time);
        let timing = |times: &[Duration]| {
            let wall = Summary::of(times).ok_or("nobody was answered")?;
            Ok::<_, String>(Timing { wall, cpu: None })
        };
        let (alone, shared) = (timing(&ask(&alone)?)?, timing(&ask(&shared[0])?)?);
        let name = "git_mile.list over HTTP, a clone alone";
        Ok(vec![beside("git_mile.list over HTTP, with a database", shared, name, alone, READ)])
    }

    /// A new server with an empty clone, until it serves a history of 100,000 operations.
    fn catching_up(&self, server: &Postgres) -> Result<Row, String> {
        let database = server.database();
        let size = Size { n_items: N_OPS / 5, n_ops: N_OPS };
        let filled = Repository::with_history(self.scratch.path("catch-up-filled"), size)?;
        run(filled.cairn(self.cairn, &["database", "init"]).env("CAIRN_DATABASE", database.url()))?;
        let empty = Repository::code_of(&filled, self.scratch.path("catch-up-empty"))?;
        let start = Instant::now();
        let served = self.serve(&empty, &database)?;
        crowd::asking(&at_dialect(&served, "mile"), LIST, 1, Duration::from_millis(1))?;
        let taken = start.elapsed();
        let outcome = if taken <= MAX_CATCH_UP { Outcome::Pass } else { Outcome::Fail };
        let ratio = format!("{:.1} s", taken.as_secs_f64());
        let verdict = Verdict { ratio, limit: format!("≤ {} s", MAX_CATCH_UP.as_secs()), outcome };
        let what = format!("a new server catches up with {N_OPS} operations and answers");
        Ok(Row { what, timing: None, floor: None, verdict })
    }

    fn servers(&self, database: &TestDatabase<'_>, n: usize, name: &str) -> Result<Vec<Served>, String> {
        let hub = Repository::hub_of(self.repository, self.scratch.path(&format!("{name}.git")))?;
        let clone = |n: usize| Repository::clone_of(&hub, self.scratch.path(&format!("{name}-{n}")));
        (0..n).map(|n| self.serve(&clone(n)?, database)).collect()
    }

    fn fresh(&self, name: &str) -> Result<Repository, String> {
        let hub = Repository::hub_of(self.repository, self.scratch.path(&format!("{name}.git")))?;
        Repository::clone_of(&hub, self.scratch.path(name))
    }

    fn serve(&self, repository: &Repository, database: &TestDatabase<'_>) -> Result<Served, String> {
        Served::start(repository.cairn(self.cairn, &[]).env("CAIRN_DATABASE", database.url()), &[])
    }
}

/// Returns the main process of PostgreSQL, whose children serve the connections.
fn main_process(server: &Postgres) -> Option<u32> {
    let told = fs::read_to_string(server.directory().join("data/postmaster.pid")).ok()?;
    told.lines().next()?.trim().parse().ok()
}

/// Returns the URL of a dialect on a server that prints another one's.
fn at_dialect(server: &Served, dialect: &str) -> String {
    let origin: Vec<&str> = server.url().split('/').take(3).collect();
    format!("{}/mcp/{dialect}", origin.join("/"))
}

fn transactions_per_second(said: &str) -> Option<f64> {
    let line = said.lines().find(|line| line.starts_with("tps = "))?;
    line.split_whitespace().nth(2)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_one_row_that_each_transaction_updates_first() {
        let ordered = Inserts { order: RowOrder::Total, ..Inserts::unordered(3, 2) };
        let lines: Vec<String> = ordered.script().lines().map(|line| line.chars().take(22).collect()).collect();
        let expected =
            ["BEGIN;", "UPDATE numbered SET n ", "INSERT INTO inserted (", "INSERT INTO inserted (", "COMMIT;"];
        assert_eq!(lines, expected);
        assert!(!Inserts::unordered(3, 2).script().contains("UPDATE"));
        assert!(Inserts::unordered(48, 1).script().starts_with("INSERT"));
    }

    #[test]
    fn the_rate_is_found_in_what_pgbench_says() {
        let said = "latency average = 1.7 ms\ntps = 9034.25 (without initial connection time)\n";
        assert_eq!(transactions_per_second(said), Some(9034.25));
        assert_eq!(transactions_per_second("pgbench: error: no connection"), None);
    }
}
