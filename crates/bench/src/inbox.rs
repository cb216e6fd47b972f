//! The inbox: the latency from sending a message to the notification of the agent.

use std::cell::RefCell;
use std::fs;
use std::time::{Duration, Instant};

use super::measure::{Timing, run};
use super::scenes::{Stage, bare};
use super::statistics::{Summary, percentile_of};
use super::talk::{INITIALIZE, Talk};
use super::verdict::{Limit, Row};

const SUBSCRIBE: &str =
    r#"{"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{"uri":"lazygit://messages"}}"#;
const MEDIAN: Limit = Limit { times: 0.0, plus: Duration::from_millis(50) };
const SLOWEST: Limit = Limit { times: 0.0, plus: Duration::from_millis(200) };

impl Stage<'_> {
    /// From the end of `cairn inbox send` to the notification at a subscriber.
    pub(crate) fn telling(&self) -> Result<Vec<Row>, String> {
        let n_messages = if self.is_quick { 20 } else { 300 };
        fs::write(self.repository.0.join("remark.txt"), "a line\n").map_err(|error| error.to_string())?;
        let mut server = self.repository.cairn(self.cairn, &["mcp", "start", "--dialect", "lazygit"]);
        let talk = RefCell::new(Talk::start(&mut server)?);
        talk.borrow_mut().ask(INITIALIZE)?;
        talk.borrow_mut().ask(SUBSCRIBE)?;
        let (mut times, mut sends) = (Vec::new(), Vec::new());
        for _ in 0..n_messages {
            let began = Instant::now();
            let said = ["inbox", "send", "--file", "remark.txt", "--line", "1", "--comment", "Why?"];
            run(&mut self.repository.cairn(self.cairn, &said))?;
            let sent = Instant::now();
            talk.borrow_mut().hear("notifications/resources/updated")?;
            // The notification may arrive while the sender is still exiting.
            times.push(sent.elapsed());
            sends.push(sent.duration_since(began));
        }
        let (wall, sending) = (Summary::of(&times), Summary::of(&sends));
        let (wall, sending) = wall.zip(sending).ok_or("nothing was sent")?;
        let slowest = percentile_of(&times, 99);
        let row = |what: &str, limit: Limit, measured| Row {
            what: what.to_owned(),
            timing: Some(Timing { wall, cpu: None }),
            floor: None,
            verdict: limit.judge(measured, sending.median),
        };
        Ok(vec![
            bare("cairn inbox send", Timing { wall: sending, cpu: None }),
            row("from there to a subscriber's notice, median", MEDIAN, wall.median),
            row("the same, p99", SLOWEST, slowest),
        ])
    }
}
