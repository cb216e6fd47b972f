//! Code that is not whole: what is around the break is found.

use anchors::{Language, MAX_BYTES, Refused, Resolution, resolve, symbols};

use crate::samples::samples;

/// Where each language may be broken: a line with an unclosed bracket put between two functions.
#[test]
fn unclosed_bracket_hides_nothing_around_it() {
    let cases = [
        ("rust", "fn before() {}\nfn cut(a: u8 {\n    if a {\nfn after() {}\nstruct Late;\n"),
        ("python", "def before():\n    pass\n\ndef cut(a):\n    x = = [1,\n    if\n\ndef after():\n    pass\n"),
        ("javascript", "function before() {}\nfunction cut() {\n  if (a) {\nfunction after() {}\n"),
    ];
    for (language, text) in cases {
        let language = Language::named(language).unwrap();
        let found = symbols(language, text).unwrap();
        assert!(found.is_broken(), "{language}");
        for name in ["before", "after"] {
            let resolution = resolve(&found, name);
            assert!(matches!(resolution, Resolution::Found { .. }), "{language}: {name} is {resolution:?}");
        }
    }
}

/// Ends of lines, marks and blanks that make no other code.
#[test]
fn line_ends_and_marks_make_no_difference() {
    for (path, language, text) in samples() {
        let plain = symbols(language, &text).unwrap();
        let names = |text: &str| -> Vec<_> {
            let found = symbols(language, text).unwrap();
            found.all().iter().map(|symbol| (symbol.name.clone(), symbol.lines)).collect()
        };
        let expected: Vec<_> = plain.all().iter().map(|symbol| (symbol.name.clone(), symbol.lines)).collect();
        assert_eq!(names(&text.replace('\n', "\r\n")), expected, "{} with CRLF", path.display());
        assert_eq!(names(&format!("\u{feff}{text}")), expected, "{} with a mark", path.display());
        assert_eq!(names(text.trim_end()), expected, "{} without a last newline", path.display());
    }
}

#[test]
fn empty_and_blank_texts_have_no_symbols() {
    for language in Language::all().filter(|language| language.is_built_in()) {
        for text in ["", "\n", " \t\r\n \n", "\u{feff}", "\0", "\0\0\n\0"] {
            let found = symbols(language, text).unwrap();
            assert_eq!(found.all(), [], "{language}: {text:?}");
        }
    }
}

#[test]
fn deep_nesting_exhausts_nothing() {
    for language in Language::all().filter(|language| language.is_built_in()) {
        for unit in [
            "(",
            "[",
            "{",
            "<",
            "a(",
            "if a {",
            "{\n",
            "fn a() {",
            "function a() {",
            "class A {",
            "module A\n",
            "\"",
            "'",
        ] {
            let text = unit.repeat(2_000);
            // Refusing is an answer too; what counts is that there is one.
            let _ = symbols(language, &text);
        }
    }
}

#[test]
fn nested_functions_are_named_to_a_depth() {
    let text = "fn a() {".repeat(200) + &"}".repeat(200);
    let found = symbols(Language::named("rust").unwrap(), &text).unwrap();
    assert_eq!(found.all().len(), 32);
}

#[test]
fn long_line_is_read() {
    let text = format!("fn before() {{}} const A: &str = \"{}\"; fn after() {{}}", "x".repeat(1 << 20));
    let found = symbols(Language::named("rust").unwrap(), &text).unwrap();
    let names: Vec<_> = found.all().iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(names, ["before", "A", "after"]);
}

#[test]
fn text_that_is_too_large_is_refused() {
    let rust = Language::named("rust").unwrap();
    let text = " ".repeat(MAX_BYTES + 1);
    assert_eq!(symbols(rust, &text), Err(Refused::TooLarge { bytes: MAX_BYTES + 1 }));
    assert!(symbols(rust, &text[1..]).is_ok());
}
