//! Renamed files, renamed functions, moved functions, and reused names: every query follows the code.

use annotations::Annotated as _;

use super::{Code, said};

const ALPHA: &str = "fn alpha(input: &str) -> Parsed {
    let tokens = tokenize(input);
    let tree = build(tokens);
    check(&tree);
    Parsed { tree }
}
";

const BETA: &str = "fn beta(list: &[u8]) -> usize {
    let mut total = 0;
    for one in list {
        total += weigh(*one);
    }
    total
}
";

fn two() -> String {
    format!("{ALPHA}\n{BETA}")
}

/// A file `a.rs` with `alpha`, annotated and with the dependent `user` in `user.rs`.
fn relied_on() -> Code {
    let user = "fn user() {\n    alpha(\"x\");\n    again();\n    done();\n}\n";
    let mut code = Code::with(&[("a.rs", &two()), ("user.rs", user)]);
    code.say("a.rs:alpha", "PARSES");
    code.rely("user.rs:user", "a.rs:alpha");
    code
}

fn user(file: &str, name: &str) -> Vec<(String, String)> {
    vec![(file.to_owned(), name.to_owned())]
}

#[test]
fn renamed_file_keeps_annotations_dependents_history_and_summary() {
    let mut code = relied_on();
    code.mv("a.rs", "src/deep/b.rs");
    code.mv("user.rs", "src/user2.rs");
    let path = "src/deep/b.rs";
    assert_eq!(code.read(path, "alpha"), said("PARSES", "moved"));
    assert_eq!(code.read_file(path), said("PARSES", "moved"));
    assert_eq!(code.deps(path, Some("alpha")), user("src/user2.rs", "user"));
    assert_eq!(code.deps(path, None), user("src/user2.rs", "user"));
    assert_eq!(code.history(path, Some("alpha")), [Some("PARSES".to_owned())]);
    assert_eq!(code.history(path, None), [Some("PARSES".to_owned())]);
    assert_eq!(code.summary(path), [(1, "alpha".to_owned(), "PARSES".to_owned())]);
    assert_eq!(code.coverage(), (2, 0, 1));
}

#[test]
fn renamed_and_rewritten_function_of_a_renamed_file_is_found() {
    let code = relied_on();
    code.mv("a.rs", "b.rs");
    let rewritten = "fn alpha(input: &str, strict: bool) -> Parsed {\n    let tree = fast::parse(input, strict)?;\n    tree.freeze();\n    log(tree);\n    check(&tree);\n    Parsed::from(tree)\n}\n";
    code.write("b.rs", &format!("{rewritten}\n{BETA}"));
    code.commit("Rewrite");
    assert_eq!(code.read("b.rs", "alpha"), said("PARSES", "changed"));
    assert_eq!(code.summary("b.rs").len(), 1);
}

#[test]
fn renamed_function_keeps_annotations_dependents_history_and_summary() {
    let mut code = relied_on();
    code.write("a.rs", &two().replace("alpha", "parse_all"));
    code.commit("Rename the function");
    assert_eq!(code.read("a.rs", "parse_all"), said("PARSES", "changed"));
    assert_eq!(code.deps("a.rs", Some("parse_all")), user("user.rs", "user"));
    assert_eq!(code.summary("a.rs"), [(1, "parse_all".to_owned(), "PARSES".to_owned())]);
    assert_eq!(code.history("a.rs", Some("parse_all")), [Some("PARSES".to_owned()), None]);
    assert_eq!(code.read("a.rs", "beta"), []);
    assert_eq!(code.coverage(), (1, 1, 1));
}

#[test]
fn renamed_function_that_another_commit_wrote_is_found() {
    let mut code = Code::with(&[("a.rs", &two())]);
    code.commit("Nothing here");
    code.say("a.rs:alpha", "PARSES");
    code.write("a.rs", &two().replace("alpha", "parse_all"));
    code.commit("Rename the function");
    assert_eq!(code.read("a.rs", "parse_all"), said("PARSES", "changed"));
}

#[test]
fn moved_function_keeps_annotations_dependents_and_summary() {
    let code = relied_on();
    code.write("a.rs", BETA);
    code.write("other.rs", &format!("fn before() {{}}\n\n{ALPHA}"));
    code.commit("Move the function");
    assert_eq!(code.read("other.rs", "alpha"), said("PARSES", "moved"));
    assert_eq!(code.read_file("other.rs"), said("PARSES", "moved"));
    assert_eq!(code.deps("other.rs", Some("alpha")), user("user.rs", "user"));
    assert_eq!(code.summary("other.rs"), [(3, "alpha".to_owned(), "PARSES".to_owned())]);
    assert_eq!(code.history("other.rs", Some("alpha")), [None, Some("PARSES".to_owned())]);
}

#[test]
fn moved_method_keeps_dependents_despite_a_free_function_of_its_name() {
    let method =
        "impl Parser {\n    fn alpha(&mut self) {\n        self.tokens.push(1);\n        self.check();\n    }\n}\n";
    let user_file = "fn user() {\n    parser.alpha();\n}\n";
    let mut code = Code::with(&[("a.rs", &format!("{ALPHA}\n{method}")), ("user.rs", user_file)]);
    code.rely("user.rs:user", "a.rs:Parser::alpha");
    code.write("a.rs", ALPHA);
    code.write("parser.rs", method);
    code.commit("Move the method");
    assert_eq!(code.deps("parser.rs", Some("Parser::alpha")), user("user.rs", "user"));
    assert_eq!(code.deps("a.rs", Some("alpha")), []);
}

#[test]
fn dependents_of_a_method_are_found_by_its_bare_name_despite_a_variable() {
    let js = "var accepts = require('accepts');\n\nreq.accepts = function accepts() {\n  var accept = accepts(this);\n  return accept.types();\n};\n";
    let mut code = Code::with(&[("req.js", js), ("user.rs", "fn user() {\n    call();\n    done();\n}\n")]);
    code.rely("user.rs:user", "req.js:req::accepts");
    assert_eq!(code.deps("req.js", Some("accepts")), user("user.rs", "user"));
    assert_eq!(code.deps("req.js", Some("req::accepts")), user("user.rs", "user"));
}

#[test]
fn dependents_of_a_constructor_are_found_by_the_name_of_its_class() {
    let java = "class Box {\n  Box(int a) {\n    fill(a);\n  }\n  void fill(int a) {\n    use(a);\n  }\n}\n";
    let mut code = Code::with(&[("Box.java", java), ("user.rs", "fn user() {\n    call();\n    done();\n}\n")]);
    code.rely("user.rs:user", "Box.java:Box::Box");
    assert_eq!(code.deps("Box.java", Some("Box")), user("user.rs", "user"));
    assert_eq!(code.deps("Box.java", Some("Box::fill")), []);
}

#[test]
fn moved_function_that_was_put_into_other_lines_is_found_by_its_words() {
    let old = "def rewind(prepared, position, name):\n    body_seek = getattr(prepared.body, 'seek', None)\n    if body_seek is not None and isinstance(prepared.position, integers):\n        body_seek(prepared.position); log(prepared, position, name)\n    else: raise Unrewindable('Unable to rewind request body for redirect.', prepared)\n";
    let new = "def rewind(prepared, position, name):\n    body_seek = getattr(\n        prepared.body, 'seek', None\n    )\n    if body_seek is not None and isinstance(\n        prepared.position, integers\n    ):\n        body_seek(prepared.position)\n        log(prepared, position, name)\n    else:\n        raise Unrewindable(\n            'Unable to rewind request body for redirect.',\n            prepared,\n        )\n";
    let mut code = Code::with(&[("utils.py", &format!("{old}\ndef get(a):\n    return a\n"))]);
    code.say("utils.py:rewind", "REWINDS");
    code.say("utils.py:get", "GETS");
    code.write("utils.py", "");
    // Short functions of one name are all similar: it cannot be decided whether it is the same.
    code.write("models.py", &format!("{new}\ndef get(\n    b,\n):\n    return b\n"));
    code.commit("Move and format");
    assert_eq!(code.read_file("models.py").len(), 1);
    assert_eq!(code.read("models.py", "rewind")[0].0, "REWINDS");
}

#[test]
fn method_of_a_renamed_class_is_found_by_its_words() {
    let old = "class Multi:\n    def invoke(self, ctx):\n        if self.result_callback is not None:\n            value = ctx.invoke(self.result_callback,\n                               **ctx.params)\n        return value\n";
    let new = "class Group:\n    def invoke(self, ctx: Context) -> Any:\n        if self._result_callback is not None:\n            value = ctx.invoke(self._result_callback, **ctx.params)\n\n        return value or None\n";
    let other = "\nclass Other:\n    def call(self, a):\n        return a\n";
    let mut code = Code::with(&[("core.py", &format!("{old}{other}"))]);
    code.say("core.py:Multi::invoke", "INVOKES");
    code.say("core.py:Other::call", "CALLS");
    let later =
        "\nclass Later:\n    def call(self, ctx):\n        ctx.fail('never called')\n        raise Unreachable()\n";
    code.write("core.py", &format!("{new}{later}"));
    code.commit("Rename the class");
    assert_eq!(code.read("core.py", "Group::invoke"), said("INVOKES", "changed"));
    assert_eq!(code.read("core.py", "Later::call"), []);
    assert_eq!(code.summary("core.py").len(), 1);
}

#[test]
fn name_of_a_file_that_another_took_over_does_not_inherit() {
    let mut code = relied_on();
    code.mv("a.rs", "b.rs");
    code.write("a.rs", "fn alpha() -> u8 {\n    let other = thing();\n    other.count()\n}\n\nfn more() {}\n");
    code.commit("Another a");
    assert_eq!(code.read("a.rs", "alpha"), []);
    assert_eq!(code.read_file("a.rs"), []);
    assert_eq!(code.summary("a.rs"), []);
    assert_eq!(code.deps("a.rs", Some("alpha")), []);
    assert_eq!(code.read("b.rs", "alpha"), said("PARSES", "moved"));
    assert_eq!(code.deps("b.rs", Some("alpha")), user("user.rs", "user"));
    code.say("a.rs:alpha", "OTHER");
    assert_eq!(code.read("a.rs", "alpha"), said("OTHER", "current"));
    assert_eq!(code.read("b.rs", "alpha"), said("PARSES", "moved"));
}

#[test]
fn another_function_of_the_same_name_years_later_is_not_taken_for_it() {
    let code = relied_on();
    code.write("a.rs", BETA);
    code.commit("Remove");
    code.write(
        "a.rs",
        &format!("{BETA}\nfn alpha(x: u8, y: u8) -> u8 {{\n    let sum = x + y;\n    round(sum);\n    sum\n}}\n"),
    );
    code.commit("Another alpha");
    assert_eq!(code.read("a.rs", "alpha"), said("PARSES", "lost"));
    assert_eq!(code.summary("a.rs"), []);
}

#[test]
fn history_takes_no_region_of_another_file() {
    let mut code = Code::with(&[("a.rs", "fn new() {\n    a();\n}\n"), ("b.rs", "fn new() {\n    b();\n}\n")]);
    code.say("b.rs:new", "ABOUT-B");
    assert_eq!(code.history("a.rs", Some("new")), []);
    assert_eq!(code.history("b.rs", Some("new")), [Some("ABOUT-B".to_owned())]);
}

#[test]
fn unmerged_branch_is_in_no_result() {
    let mut code = relied_on();
    code.fixture.git(&["switch", "--quiet", "--create", "side"]);
    code.write("side.rs", "fn side() {\n    alpha(\"y\");\n}\n");
    code.commit("On the side");
    code.rely("side.rs:side", "a.rs:alpha");
    code.say("a.rs:beta", "SIDE");
    assert_eq!(code.deps("a.rs", Some("alpha")).len(), 2);
    code.fixture.git(&["switch", "--quiet", "-"]);
    assert_eq!(code.deps("a.rs", Some("alpha")), user("user.rs", "user"));
    assert_eq!(code.read("a.rs", "beta"), []);
    assert_eq!(code.summary("a.rs").len(), 1);
    code.fixture.git(&["merge", "--quiet", "--no-edit", "side"]);
    assert_eq!(code.deps("a.rs", Some("alpha")).len(), 2);
    assert_eq!(code.read("a.rs", "beta"), said("SIDE", "current"));
}

#[test]
fn annotation_of_code_from_an_earlier_commit_is_found() {
    let mut code = Code::with(&[("a.rs", &two())]);
    code.write("other.rs", "fn other() {}\n");
    code.commit("Something else");
    code.say("a.rs:alpha", "PARSES");
    code.say("a.rs:8-10", "LINES");
    code.say("a.rs", "WHOLE");
    let mut all: Vec<String> = code.read_file("a.rs").into_iter().map(|(intent, _)| intent).collect();
    all.sort();
    assert_eq!(all, ["LINES", "PARSES", "WHOLE"]);
    assert_eq!(code.read_lines("a.rs", "2:3").len(), 2, "{:?}", code.read_lines("a.rs", "2:3"));
    let mut of_line = code.read_lines("a.rs", "9:9");
    of_line.sort();
    assert_eq!(of_line, [said("LINES", "current"), said("WHOLE", "current")].concat());
    assert_eq!(code.history("a.rs", Some("alpha")), [None, Some("PARSES".to_owned())]);
}

#[test]
fn whole_file_is_current_until_it_changes() {
    let mut code = Code::with(&[("a.rs", &two())]);
    code.say("a.rs", "WHOLE");
    assert_eq!(code.read_file("a.rs"), said("WHOLE", "current"));
    code.commit("Nothing here");
    assert_eq!(code.read_file("a.rs"), said("WHOLE", "current"));
    code.write("a.rs", &two().replace("build", "make"));
    code.commit("Change");
    assert_eq!(code.read_file("a.rs"), said("WHOLE", "changed"));
}

/// Without a hook git copies notes to rewritten commits unchanged: with the lines of the old commit.
#[test]
fn note_that_git_copied_to_a_rebased_commit_is_read_by_its_name() {
    let mut code = Code::with(&[("a.rs", BETA)]);
    code.write("a.rs", &two());
    let old = code.commit("Add alpha");
    code.say("a.rs:alpha", "PARSES");
    code.fixture.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    let above = "fn above() {\n    first();\n    second();\n    third();\n    fourth();\n}\n";
    code.write("a.rs", &format!("{above}\n{ALPHA}\n{BETA}"));
    let new = code.commit("Add alpha, rebased");
    code.fixture.git(&["notes", "--ref=ultragit", "copy", &old, &new]);
    code.project.follow_annotations(None).unwrap();
    assert_eq!(code.read("a.rs", "alpha"), said("PARSES", "current"));
    assert_eq!(code.read("a.rs", "above"), []);
    assert_eq!(code.read_lines("a.rs", "1:5"), []);
    // Without `alpha` the lines of the old commit would lead to `above`.
    code.write("a.rs", &format!("{above}\n{BETA}"));
    code.commit("Remove alpha");
    assert_eq!(code.read("a.rs", "above"), []);
    assert_eq!(code.read_file("a.rs"), said("PARSES", "lost"));
}

#[test]
fn list_follows_renamed_files_and_moved_functions() {
    let mut code = relied_on();
    code.write("far/target.rs", "fn other() {\n    x();\n}\n");
    code.say("a.rs:beta", "WEIGHS");
    code.write("a.rs", BETA);
    code.write("far/target.rs", &format!("fn other() {{\n    x();\n}}\n\n{ALPHA}"));
    code.commit("Move alpha");
    code.mv("a.rs", "b.rs");
    let list = code.project.annotations_mut().list(None, annotations::AnnotationFilter::All, None).unwrap();
    let mut listed: Vec<(&str, &str, String)> =
        list.annotations.iter().map(|one| (one.intent.as_str(), one.file.as_str(), one.status.to_string())).collect();
    listed.sort_unstable();
    let expected =
        [("PARSES", "far/target.rs", "moved"), ("WEIGHS", "b.rs", "moved"), ("relies", "user.rs", "current")];
    assert_eq!(listed, expected.map(|(intent, file, status)| (intent, file, status.to_owned())));
    assert_eq!((list.current, list.moved, list.changed, list.lost), (1, 2, 0, 0));
}
