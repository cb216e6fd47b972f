//! `cairn inbox watch` prints events as they happen.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;
use testkit::Cairn;

use super::{check, project, send};

/// A watch, and the lines it prints.
struct Watch {
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Watch {
    /// Starts a watch and waits until it is ready.
    fn start(cairn: &Cairn, arguments: &[&str]) -> Self {
        let mut command = cairn.command(&[&["inbox", "watch"], arguments].concat());
        let mut child = command.stdin(Stdio::null()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut first).unwrap();
        insta::allow_duplicates! {
            insta::assert_snapshot!(testkit::redact(&first), @"watching the inbox; press Ctrl-C to stop");
        }
        let (sender, lines) = mpsc::channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines }
    }

    #[track_caller]
    fn line(&self) -> String {
        self.lines.recv_timeout(Duration::from_mins(1)).unwrap()
    }

    #[track_caller]
    fn event(&self) -> (String, Value) {
        let mut line: Value = serde_json::from_str(&self.line()).unwrap();
        (line["event"].as_str().unwrap().to_owned(), line["message"].take())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn every_step_of_a_message_is_reported_once() {
    let project = project();
    let cairn = &project.cairn;
    send(cairn, "a.txt", "2", "before");
    check(cairn);
    let watch = Watch::start(cairn, &["--json"]);
    let id = send(cairn, "a.txt", "2", "why?")["id"].as_str().unwrap().to_owned();
    let (event, message) = watch.event();
    assert_eq!((event.as_str(), message["id"].as_str()), ("sent", Some(id.as_str())));
    assert_eq!(check(cairn), ["why?"]);
    assert_eq!(watch.event().0, "delivered");
    cairn.quiet(&["inbox", "reply", &id, "because"]);
    let (event, message) = watch.event();
    assert_eq!((event.as_str(), &message["replies"][0]["body"]), ("reply", &Value::from("because")));
    cairn.quiet(&["inbox", "resolve", &id]);
    let (_, message) = watch.event();
    assert_eq!(message["state"], "resolved");
}

#[test]
fn people_read_it_too() {
    let project = project();
    let watch = Watch::start(&project.cairn, &[]);
    send(&project.cairn, "a.txt", "2", "two\nlines");
    assert!(watch.line().ends_with(" on a.txt:2"));
    assert_eq!((watch.line(), watch.line()), ("two".to_owned(), "lines".to_owned()));
}

#[test]
fn watch_ends_when_its_output_is_closed() {
    let project = project();
    let (reader, writer) = std::io::pipe().unwrap();
    let mut command = project.cairn.command(&["inbox", "watch"]);
    let mut child = command.stdout(writer).spawn().unwrap();
    // The command holds a write end of the pipe.
    drop(command);
    let mut first = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut first).unwrap();
    drop(reader);
    send(&project.cairn, "a.txt", "2", "unheard");
    let began = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if began.elapsed() < Duration::from_mins(1) => std::thread::sleep(Duration::from_millis(10)),
            None => {
                child.kill().unwrap();
                panic!("it goes on: {}", child.wait().unwrap());
            }
        }
    };
    assert!(status.success());
}
