//! Functions of one name in one file: an annotation of one is never reported for another.

use annotations::Annotated as _;
use annotations::AnnotationName;

use super::{Code, said};

const JAVA: &str = "class Gson {
  Object fromJson(String json) {
    Reader reader = open(json);
    check(reader);
    return fromJson(reader);
  }

  Object fromJson(Reader json) {
    Parser parser = parse(json);
    expectEnd(parser);
    return parser.value();
  }
}
";

const STRING: &str = "Gson::fromJson(String json)";
const READER: &str = "Gson::fromJson(Reader json)";

#[test]
fn overload_does_not_get_annotations_of_another() {
    let mut code = Code::with(&[("Gson.java", JAVA)]);
    code.say(&format!("Gson.java:{STRING}"), "FROM-STRING");
    assert_eq!(code.read("Gson.java", STRING), said("FROM-STRING", "current"));
    assert_eq!(code.read("Gson.java", READER), []);
    assert_eq!(code.history("Gson.java", Some(READER)), []);
    assert_eq!(code.summary("Gson.java"), [(2, "Gson::fromJson".to_owned(), "FROM-STRING".to_owned())]);
    assert_eq!(code.coverage(), (1, 0, 2));
}

#[test]
fn types_of_the_parameters_name_one_overload() {
    let mut code = Code::with(&[("Gson.java", JAVA)]);
    code.say("Gson.java:fromJson(Reader)", "FROM-READER");
    assert_eq!(code.read("Gson.java", READER), said("FROM-READER", "current"));
    assert_eq!(code.read("Gson.java", "fromJson(String)"), []);
}

#[test]
fn note_that_does_not_tell_which_overload_is_shown_for_the_bare_name() {
    let mut code = Code::with(&[("Gson.java", JAVA)]);
    code.say("Gson.java:fromJson(Bytes)", "ONE-OF-THEM");
    assert_eq!(code.read("Gson.java", "fromJson"), said("ONE-OF-THEM", "lost"));
    assert_eq!(code.read("Gson.java", READER), []);
}

#[test]
fn bare_ambiguous_name_answers_with_each_function_and_its_own() {
    let mut code = Code::with(&[("Gson.java", JAVA)]);
    code.say(&format!("Gson.java:{STRING}"), "FROM-STRING");
    code.say(&format!("Gson.java:{READER}"), "FROM-READER");
    let view = code.query("Gson.java", Some("fromJson"));
    let mut found: Vec<(String, u32)> = view
        .regions
        .iter()
        .map(|region| (region.intent.clone(), region.code.now.as_ref().unwrap().lines.start))
        .collect();
    found.sort();
    assert_eq!(found, [("FROM-READER".to_owned(), 8), ("FROM-STRING".to_owned(), 2)]);
}

#[test]
fn overload_that_is_left_alone_does_not_inherit() {
    let mut code = Code::with(&[("Gson.java", JAVA)]);
    code.say(&format!("Gson.java:{STRING}"), "FROM-STRING");
    let kept: Vec<&str> =
        JAVA.lines().enumerate().filter(|(n, _)| !(1..=6).contains(n)).map(|(_, line)| line).collect();
    let reader_only = kept.join("\n") + "\n";
    code.write("Gson.java", &reader_only);
    code.commit("Remove the one for strings");
    assert_eq!(code.read("Gson.java", "Gson::fromJson"), []);
    assert_eq!(code.summary("Gson.java"), []);
}

#[test]
fn overload_whose_signature_changed_is_known_by_its_code() {
    let mut code = Code::with(&[("Gson.java", JAVA)]);
    code.say(&format!("Gson.java:{STRING}"), "FROM-STRING");
    code.write("Gson.java", &JAVA.replace("fromJson(String json)", "fromJson(CharSequence json, int depth)"));
    code.commit("Take any text");
    assert_eq!(code.read("Gson.java", "Gson::fromJson(CharSequence json, int depth)"), said("FROM-STRING", "changed"));
    assert_eq!(code.read("Gson.java", READER), []);
}

#[test]
fn functions_of_two_impls_of_one_trait_are_distinguished() {
    let text = "struct P;
impl From<u8> for P {
    fn from(value: u8) -> Self {
        narrow(value)
    }
}
impl From<u16> for P {
    fn from(value: u16) -> Self {
        wide(value)
    }
}
impl Display for P {
    fn fmt(&self, f: &mut Formatter) -> Result {
        write!(f, \"shown\")
    }
}
impl Debug for P {
    fn fmt(&self, f: &mut Formatter) -> Result {
        write!(f, \"debugged\")
    }
}
";
    let mut code = Code::with(&[("p.rs", text)]);
    code.say("p.rs:<P as From<u8>>::from", "NARROW");
    code.say("p.rs:<P as Display>::fmt", "SHOWN");
    code.write("p.rs", &format!("// A line above.\n\n{text}"));
    code.commit("Shift");
    for (name, expected) in [
        ("<P as From<u8>>::from", said("NARROW", "current")),
        ("<P as From<u16>>::from", vec![]),
        ("<P as Display>::fmt", said("SHOWN", "current")),
        ("<P as Debug>::fmt", vec![]),
    ] {
        assert_eq!(code.read("p.rs", name), expected, "{name}");
    }
    assert_eq!(code.summary("p.rs").len(), 2);
}

#[test]
fn cfg_twins_with_one_signature_are_distinguished_by_their_code() {
    let text = "#[cfg(unix)]\nfn open() -> File {\n    unix::open(path, flags)\n}\n\n#[cfg(windows)]\nfn open() -> File {\n    windows::create(path)\n}\n";
    let mut code = Code::with(&[("f.rs", text)]);
    code.say("f.rs:6-9", "lines only");
    code.project
        .annotations_mut()
        .annotate(
            None,
            r#"{"summary": "s", "regions": [{"file": "f.rs", "anchor": "open", "intent": "WINDOWS", "lines": {"start": 6, "end": 9}}]}"#,
            None,
        )
        .unwrap();
    code.project.follow_annotations(None).unwrap();
    code.write("f.rs", &format!("fn first() {{}}\n\n{text}"));
    code.commit("Shift");
    let units = code.summary("f.rs");
    assert_eq!(units, [(8, "open".to_owned(), "WINDOWS".to_owned())]);
    assert_eq!(code.read_lines("f.rs", "3:6"), []);
}

#[test]
fn lines_of_a_twin_with_the_old_code_do_not_match_the_other() {
    let old = "  const tokens = split(text);\n  const tree = build(tokens);\n  return check(tree);\n";
    let mut code = Code::with(&[("f.js", &format!("function parse(text) {{\n{old}}}\n"))]);
    code.say("f.js:parse", "PARSES");
    let new = "  const loose = guess(text);\n  return fast(loose);\n";
    code.write("f.js", &format!("function parse(text) {{\n{new}}}\n\nfunction parse(text, strict) {{\n{old}}}\n"));
    code.commit("Overload");
    assert!(code.fixture.git(&["blame", "-s", "-L7,9", "f.js"]).lines().all(|line| line.starts_with('^')));
    assert_eq!(code.read_lines("f.js", "7:9"), []);
    assert_eq!(code.read_lines("f.js", "2:3"), said("PARSES", "changed"));
}

#[test]
fn flag_of_an_ambiguous_name_is_refused_and_of_one_twin_is_not() {
    let mut code = Code::with(&[("Gson.java", JAVA)]);
    code.say(&format!("Gson.java:{STRING}"), "FROM-STRING");
    code.say(&format!("Gson.java:{READER}"), "FROM-READER");
    let name =
        |anchor: &str| AnnotationName { path: "Gson.java".into(), anchor: anchor.into(), ..AnnotationName::default() };
    let error = code.project.annotations_mut().flag(&name("fromJson"), "wrong").unwrap_err();
    insta::assert_snapshot!(format!("{}\nhint: {}", error.message, error.hint.unwrap()), @"
    `fromJson` is the name of 2 annotated functions
    hint: name one with its parameters: Object fromJson(Reader json), Object fromJson(String json)
    ");
    code.project.annotations_mut().correct(&name(READER), "intent", "RIGHT").unwrap();
    code.project.follow_annotations(None).unwrap();
    assert_eq!(code.read("Gson.java", READER), said("RIGHT", "current"));
    assert_eq!(code.read("Gson.java", STRING), said("FROM-STRING", "current"));
    let intents: Vec<String> = code.summary("Gson.java").into_iter().map(|(_, _, intent)| intent).collect();
    assert_eq!(intents, ["FROM-STRING", "RIGHT"]);
    assert_eq!(code.history("Gson.java", Some(READER)), [Some("RIGHT".to_owned())]);
}

#[test]
fn lines_win_over_a_name_that_is_elsewhere_and_the_innermost_over_its_class() {
    let java = "class Box {\n  Box(int a) {\n    fill(a);\n  }\n}\n";
    let rust = "impl A {\n    fn free(&self) {\n        a();\n    }\n}\nimpl B {\n    fn free(&self) {\n        b();\n    }\n}\n";
    let module = "mod m {\n    fn inner() {\n        a();\n    }\n    generated! { b(); }\n}\n";
    let mut code = Code::with(&[("Box.java", java), ("free.rs", rust), ("module.rs", module)]);
    let document = |file: &str, anchor: &str, line: u32| {
        format!(
            r#"{{"summary": "s", "regions": [{{"file": "{file}", "anchor": "{anchor}", "intent": "i", "lines": {{"start": {line}, "end": {line}}}}}]}}"#
        )
    };
    let view = code.project.annotations_mut().annotate(None, &document("Box.java", "Box", 3), None).unwrap();
    assert_eq!(
        (view.regions[0].resolution.to_string().as_str(), view.regions[0].anchor.as_str()),
        ("unqualified", "Box::Box")
    );
    let view = code.project.annotations_mut().annotate(None, &document("free.rs", "A::free", 8), None).unwrap();
    assert_eq!(
        (view.regions[0].resolution.to_string().as_str(), view.regions[0].anchor.as_str()),
        ("lines_differ", "B::free")
    );
    assert_eq!(view.regions[0].candidates, ["A::free (line 2)"]);
    // The module around the lines is not the target.
    let view = code.project.annotations_mut().annotate(None, &document("module.rs", "inner", 5), None).unwrap();
    assert_eq!((view.regions[0].resolution.to_string().as_str(), view.regions[0].anchor.as_str()), ("lost", "inner"));
}

/// A function `get` inside of another one.
fn nested(outer: &str, body: &str) -> String {
    format!("def {outer}(app):\n    @app.route('/get')\n    def get():\n        {body}\n")
}

#[test]
fn function_that_was_there_inside_of_another_does_not_inherit() {
    let inner = "mod tests {\n    fn run() {\n        expect(1);\n        expect(2);\n    }\n}\n";
    let outer = "fn run() {\n    prepare();\n    start();\n    stop();\n}\n";
    let mut code = Code::with(&[("run.rs", &format!("{outer}{inner}"))]);
    code.say("run.rs:run", "STARTS");
    code.write("run.rs", inner);
    code.commit("Remove the function");
    assert_eq!(code.read("run.rs", "tests::run"), []);
    assert_eq!(code.summary("run.rs"), []);
}

#[test]
fn function_that_is_moved_into_a_module_keeps_its_annotations() {
    let outer = "fn run() {\n    prepare();\n    start();\n    stop();\n}\n";
    let mut code = Code::with(&[("run.rs", outer)]);
    code.say("run.rs:run", "STARTS");
    code.write("run.rs", &format!("mod inner {{\n{outer}}}\n"));
    code.commit("Move it into a module");
    assert_eq!(code.read("run.rs", "inner::run"), said("STARTS", "current"));
}

#[test]
fn function_that_was_added_beside_it_does_not_inherit() {
    let (session, vary) = (nested("session", "return session['value']"), nested("vary", "return session.get('value')"));
    let mut code = Code::with(&[("test.py", &session)]);
    code.say("test.py:session::get", "READS");
    code.write("test.py", &format!("{session}{vary}"));
    code.commit("Add a test");
    assert_eq!(code.read("test.py", "vary::get"), []);
    code.write("test.py", &vary);
    code.commit("Remove the first test");
    assert_eq!(code.read("test.py", "vary::get"), []);
    assert_eq!(code.summary("test.py"), []);
}

#[test]
fn function_of_a_renamed_owner_keeps_its_annotations() {
    let mut code = Code::with(&[("test.py", &nested("session", "return session['value']"))]);
    code.say("test.py:session::get", "READS");
    code.write("test.py", &nested("sessions", "return session['value']"));
    code.commit("Rename the test");
    assert_eq!(code.read("test.py", "sessions::get"), said("READS", "moved"));
    code.write("test.py", &nested("sessions", "return session['key']"));
    code.commit("Another key");
    assert_eq!(code.read("test.py", "sessions::get"), said("READS", "changed"));
}

#[test]
fn function_of_another_file_that_was_there_does_not_inherit() {
    let text = "function load() {\n  one();\n  two();\n  three();\n}\n";
    let mut code = Code::with(&[("a.js", text), ("b.js", text)]);
    code.say("a.js:load", "LOADS");
    code.write("a.js", "start();\n");
    code.commit("Remove the first");
    assert_eq!(code.read("b.js", "load"), []);
    code.write("c.js", text);
    code.commit("Add a third file");
    assert_eq!(code.read("c.js", "load"), said("LOADS", "moved"));
}
