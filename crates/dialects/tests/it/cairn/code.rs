//! `context` and `annotate`.

use model::tokens::estimate;
use serde_json::json;

use super::bench::Bench;

#[test]
fn reasons_of_one_agent_are_the_context_of_the_next() {
    let bench = Bench::new();
    bench.commit("src/lib.rs", "fn pay() {\n    charge();\n}\n\nfn other() {}\n", "Charge once");
    let given = json!({"path": "src/lib.rs", "anchor": "pay", "intent": "charges the card",
        "reasoning": "two calls charged twice", "constraints": ["never call it in a loop"]});
    let annotated = bench.call("annotate", given);
    assert!(annotated.text.ends_with(": src/lib.rs:pay (exact)"), "{}", annotated.text);
    bench.call("create", json!({"title": "Check payments", "touches": ["src/lib.rs:pay"]}));
    bench.send("src/lib.rs", "Twice?");
    let context = bench.call("context", json!({"path": "src/lib.rs", "anchor": "pay"})).text;
    let commit = bench.repository.git(&["rev-parse", "HEAD"]);
    let id = context.split("## Messages\n- ").nth(1).unwrap()[..6].to_owned();
    let shown = context.replace(&commit[..8], "COMMIT").replace(&id, "MESSAGE");
    insta::assert_snapshot!(shown, @r"
    # src/lib.rs `pay` lines 1-3
    ## Messages
    - MESSAGE fix by Ada Lovelace: Twice?
    ## Annotations
    - `pay`: charges the card [COMMIT]
      - must hold: never call it in a loop
      - why: two calls charged twice
    ## Open items
    - #1 task backlog Check payments
    ## Last commits
    - COMMIT 2026-01-01 Ada Lovelace: Charge once
    ");
    let absolute = bench.repository.path().join("src/lib.rs");
    let same = bench.call("context", json!({"path": absolute.to_str().unwrap(), "anchor": "pay"})).text;
    assert_eq!(same, context);
    let compact = bench.call("context", json!({"path": "src/lib.rs", "format": "json"})).text;
    let compact: serde_json::Value = serde_json::from_str(&compact).unwrap();
    assert_eq!(compact["annotations"]["regions"][0]["constraints"][0]["text"], "never call it in a loop");
    assert!(compact["annotations"]["regions"][0].get("risk_notes").is_none(), "{compact}");
}

#[test]
fn the_working_copy_is_answered_for() {
    let bench = Bench::new();
    bench.commit("lib.rs", "fn pay() {\n    charge();\n}\n", "Code");
    bench.call("annotate", json!({"path": "lib.rs", "anchor": "pay", "intent": "charges"}));
    bench.write("lib.rs", "// new\n// lines\nfn pay_once() {\n    charge();\n}\n");
    let mut contexts = Vec::new();
    for given in [json!({"path": "lib.rs", "lines": "3:5"}), json!({"path": "lib.rs", "anchor": "pay_once"})] {
        let context = bench.call("context", given).text;
        contexts.push(testkit::lines_with(&context, "charges"));
    }
    insta::assert_snapshot!(contexts.join("\n"), @"
    - `pay`: charges [<id>]
    - `pay`: charges [<id>]
    ");
    bench.write("new.rs", "fn fresh() {}\n");
    let context = bench.call("context", json!({"path": "new.rs", "anchor": "fresh"})).text;
    insta::assert_snapshot!(context, @"
    # new.rs `fresh`
    > new.rs is not committed yet, so nothing is recorded about its code.

    Nothing is known about this code.
    ");
    insta::assert_snapshot!(bench.refuse("context", json!({"path": "nothing.rs"})), @"File not found: nothing.rs");
    insta::assert_snapshot!(bench.refuse("context", json!({"path": "."})), @"File not found: .");
}

#[test]
fn no_budget_makes_context_fail() {
    let bench = Bench::new();
    bench.commit("lib.rs", "fn pay() {}\n", "Code");
    for n in 0..11 {
        bench.send("lib.rs", &format!("{n} {}", "word ".repeat(50)));
    }
    for max_tokens in [1, 10, 50, 100, 500, 2_000] {
        let text = bench.call("context", json!({"path": "lib.rs", "max_tokens": max_tokens})).text;
        assert!(max_tokens < 50 || estimate(&text) <= max_tokens, "{max_tokens}: {text}");
        // How many messages fit depends on the length of times and ids.
        assert!(max_tokens == 2_000 || text.contains("Left out: "), "{text}");
    }
}

#[test]
fn an_annotation_of_code_that_is_not_there_is_refused() {
    let bench = Bench::new();
    bench.commit("lib.rs", "fn pay() {}\n", "Code");
    let refused = bench.refuse("annotate", json!({"path": "gone.rs", "intent": "x"}));
    let commit = bench.repository.git(&["rev-parse", "--short=7", "HEAD"]);
    insta::assert_snapshot!(refused.replace(&commit, "<commit>"), @"
    invalid annotation, nothing was written:
      `regions[0].file`: `gone.rs` is not a file at commit <commit>
    ");
    insta::assert_snapshot!(bench.refuse("annotate", json!({"path": "lib.rs", "intent": " "})), @"the intent is empty");
}
