//! Notes of thousands of regions: the cost of each region depends on its own code only.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use annotations::Annotated as _;
use annotations::hooks::Hook;
use annotations::view::PlaceMatch;

use super::Code;
use crate::hooks::run;

const N_FUNCTIONS: usize = 1_000;
const N_REGIONS: usize = 3_000;
/// Ten times what an unoptimized build needs on a busy machine. Comparing every region with every function takes
/// minutes.
const LIMIT: Duration = Duration::from_mins(1);

fn functions(name: &str) -> String {
    (0..N_FUNCTIONS).fold(String::new(), |mut text, n| {
        let _ = write!(text, "fn {name}_{n}(a: u8) -> u8 {{\n    let value_{n} = a + {n};\n    value_{n} * {n}\n}}\n");
        text
    })
}

/// A file whose first commit has a note of many regions, and its later text.
fn noted(region: impl Fn(usize) -> String, later: &str) -> Code {
    let mut code = Code::with(&[("a.rs", &functions("old"))]);
    let commit = code.fixture.git(&["rev-parse", "HEAD"]);
    let regions: Vec<String> = (0..N_REGIONS).map(region).collect();
    let note = format!(
        r#"{{"$schema":"ultragit/v1","commit":"{}","timestamp":"2024-01-01T00:00:00Z","summary":"s","context_level":"enhanced","regions":[{}],"cross_cutting":[],"provenance":{{"operation":"initial","derived_from":[],"original_annotations_preserved":true}}}}"#,
        commit.trim(),
        regions.join(",")
    );
    std::fs::write(code.fixture.path().join(".git/note"), note).unwrap();
    code.fixture.git(&["notes", "--ref=ultragit", "add", "--file=.git/note", "HEAD"]);
    code.write("a.rs", later);
    code.commit("Later");
    code.project.follow_annotations(None).unwrap();
    code
}

fn region(name: &str, function: usize, intent: usize) -> String {
    let (start, end) = (function * 4 + 1, function * 4 + 4);
    format!(
        r#"{{"file":"a.rs","ast_anchor":{{"type":"","name":"{name}"}},"lines":{{"start":{start},"end":{end}}},"intent":"why {intent}","semantic_dependencies":[{{"file":"a.rs","anchor":"{name}","nature":"n{intent}"}}]}}"#
    )
}

/// Runs all queries, and fails if they take too long.
fn ask(code: &Code) {
    let began = Instant::now();
    code.query("a.rs", None);
    code.query("a.rs", Some("new_7"));
    code.read_lines("a.rs", "5:9");
    code.summary("a.rs");
    code.history("a.rs", Some("new_7"));
    code.deps("a.rs", Some("new_7"));
    assert!(began.elapsed() < LIMIT, "{:?}", began.elapsed());
}

#[test]
fn regions_of_renamed_functions_are_found_by_their_lines() {
    let code = noted(|n| region(&format!("old_{}", n % N_FUNCTIONS), n % N_FUNCTIONS, n), &functions("new"));
    ask(&code);
    let told = code.read("a.rs", "new_7");
    assert_eq!(told.len(), N_REGIONS / N_FUNCTIONS);
    assert!(told.iter().all(|(_, status)| *status == "changed"), "{told:?}");
    assert_eq!(code.summary("a.rs").len(), N_FUNCTIONS);
    assert_eq!(code.query("a.rs", Some("new_7")).dependencies_on_this.len(), N_REGIONS / N_FUNCTIONS);
}

#[test]
fn regions_of_gone_functions_are_not_compared_with_every_function() {
    let later = functions("new").replace("value", "sum").replace(" + ", " - ");
    let code = noted(|n| region(&format!("gone_{n}"), n % N_FUNCTIONS, n), &later);
    ask(&code);
    // A closing brace still comes from them, so they are reported as lost.
    assert!(code.read("a.rs", "new_7").iter().all(|(_, status)| *status == "lost"));
    assert_eq!(code.summary("a.rs"), []);
}

#[test]
fn regions_without_a_name_are_found_by_their_lines() {
    let later = format!("// One line more.\n{}", functions("old"));
    let code = noted(|n| region("", n % N_FUNCTIONS, n), &later);
    ask(&code);
    let told = code.read_lines("a.rs", "30:31");
    assert_eq!(told.len(), N_REGIONS / N_FUNCTIONS);
    assert!(told.iter().all(|(_, status)| *status == "current"), "{told:?}");
}

/// Functions that share most of their lines.
fn similar_functions(name: &str, n: usize) -> String {
    (0..n).fold(String::new(), |mut text, n| {
        let _ = write!(
            text,
            "fn {name}_{n}() -> u8 {{\n    let first = start();\n    let second = first + 1;\n    let third = second + first;\n    third + {n}\n}}\n"
        );
        text
    })
}

/// An annotation of each of several similar functions, with the lines of the following function if they are shifted.
fn document(name: &str, n: usize, shift: usize) -> String {
    let region = |n: usize| {
        let start = (n + shift) * 6 + 1;
        format!(r#"{{"file":"a.rs","anchor":"{name}_{n}","lines":"{start}:{}","intent":"why {n}"}}"#, start + 5)
    };
    let regions: Vec<String> = (0..n - shift).map(region).collect();
    format!(r#"{{"summary":"s","regions":[{}]}}"#, regions.join(","))
}

#[test]
fn many_regions_of_one_document_are_written() {
    const N: usize = 10_000;
    let mut code = Code::with(&[("a.rs", &similar_functions("old", N))]);
    let began = Instant::now();
    let written = code.project.annotations_mut().annotate(None, &document("old", N, 0), None).unwrap();
    assert!(written.regions.iter().all(|region| region.resolution == PlaceMatch::Exact));
    let written = code.project.annotations_mut().annotate(None, &document("old", N, 1), None).unwrap();
    assert!(written.regions.iter().all(|region| region.resolution == PlaceMatch::LinesDiffer));
    assert!(began.elapsed() < LIMIT, "{:?}", began.elapsed());
}

#[test]
fn many_missing_names_are_not_each_compared_with_every_function() {
    const N: usize = 10_000;
    let mut code = Code::with(&[("a.rs", &similar_functions("present", N))]);
    let began = Instant::now();
    let written = code.project.annotations_mut().annotate(None, &document("missing", N, 0), None).unwrap();
    assert!(written.regions.iter().all(|region| region.resolution == PlaceMatch::Lost));
    assert!(!written.regions[0].candidates.is_empty(), "the first ones get suggestions");
    assert!(written.regions[N - 1].candidates.is_empty());
    assert!(began.elapsed() < LIMIT, "{:?}", began.elapsed());
}

#[test]
fn many_regions_are_carried_to_renamed_and_changed_functions() {
    const N: usize = 1_500;
    let mut code = Code::with(&[("a.rs", &similar_functions("old", N))]);
    code.project.annotations_mut().annotate(None, &document("old", N, 0), None).unwrap();
    let amend = |text: &str| {
        let old = code.fixture.git(&["rev-parse", "HEAD"]).trim().to_owned();
        code.write("a.rs", text);
        code.fixture.git(&["commit", "--quiet", "--all", "--amend", "--no-edit"]);
        format!("{old} {}\n", code.fixture.git(&["rev-parse", "HEAD"]))
    };
    let began = Instant::now();
    let rewritten = |text: &str| run(&code, Hook::PostRewrite, &amend(text));
    assert_eq!(rewritten(&similar_functions("new", N)), [""; 0], "each is found by its own line");
    let lost = rewritten(&similar_functions("other", N).replace("third + ", "third - "));
    assert_eq!(lost.len(), N, "no line tells which is which");
    assert!(began.elapsed() < LIMIT, "{:?}", began.elapsed());
}

#[test]
fn lines_that_every_function_has_are_compared_once() {
    const N: usize = 4_000;
    let mut code = Code::with(&[("a.rs", &similar_functions("old", N))]);
    code.project.annotations_mut().annotate(None, &document("old", N, 0), None).unwrap();
    code.write("a.rs", &similar_functions("new", N).replace("third + ", "third - "));
    code.commit("Other functions");
    code.project.follow_annotations(None).unwrap();
    let began = Instant::now();
    assert_eq!(code.summary("a.rs"), []);
    assert!(began.elapsed() < LIMIT, "{:?}", began.elapsed());
}
