//! The last commits of code in `context`.

use annotations::{Annotated as _, ContextQuery, ReadQuery};
use inbox::Inbox;

use super::Code;
use crate::harness::ENV;

fn last_commits(code: &Code) -> Vec<String> {
    let inbox = Inbox::open(code.fixture.path(), ENV).unwrap();
    let query = ContextQuery { code: ReadQuery::new("a.rs") };
    let view = code.project.annotations().context(&inbox, &query).unwrap();
    view.commits.into_iter().map(|commit| commit.subject).collect()
}

#[test]
fn commits_of_one_rebase_are_in_the_order_of_the_history() {
    let mut text = String::new();
    let code = Code::with(&[("b.rs", "")]);
    for name in ["one", "two", "three", "four"] {
        text = format!("fn {name}() {{}}\n{text}");
        code.write("a.rs", &text);
        code.commit(name);
    }
    assert_eq!(last_commits(&code), ["four", "three", "two", "one"]);
    code.write("a.rs", &text.replace("fn four() {}\n", "").replace("fn one() {}\n", "fn one() {}\nfn four() {}\n"));
    code.commit("move four");
    code.fixture.git(&["rebase", "--quiet", "--force-rebase", "HEAD~5"]);
    assert_eq!(last_commits(&code), ["move four", "three", "two", "one"]);
}
