//! Broken code: the symbols around the error are found.

use anchors::{Language, LineRange, MAX_BYTES, ParseRefusal, symbols};

use crate::samples::samples;

/// Code with an unclosed bracket or block, and the symbols that are still found.
const UNCLOSED: &[(&str, &str, &str)] = &[
    ("rust", "fn before() {}\nfn cut(a: u8) {\n    if a {\nfn after() {}\n", "before, cut, after"),
    (
        "rust",
        "fn before() {}\nimpl A {\n    fn one(&self) {}\n    fn cut(&self) {\n        if a {\n    }\n    fn two(&self) {}\n}\nfn after() {}\n",
        "before, impl A, A::one, A::cut, A::two, after",
    ),
    (
        "python",
        "class A:\n    def one(self):\n        pass\n    def cut(self):\n        x = foo(1,\n    def two(self):\n        pass\n\ndef after():\n    pass\n",
        "A, A::one, A::cut, A::two, after",
    ),
    (
        "javascript",
        "class A {\n  one() {}\n  cut() {\n    if (a) {\n  }\n  two() {}\n}\nfunction after() {}\n",
        "A, A::one, A::cut, A::two, after",
    ),
    (
        "typescript",
        "function before() {}\nfunction cut(a: string) {\n  if (a) {\nfunction after() {}\n",
        "before, cut, after",
    ),
    (
        "tsx",
        "function before() {}\nfunction cut() {\n  if (a) {\n    return <b>c</b>;\nfunction after() {}\n",
        "before, cut, after",
    ),
    ("go", "package a\n\nfunc before() {}\n\nfunc cut() {\n\tif a {\n\nfunc after() {}\n", "before, cut, after"),
    (
        "java",
        "class A {\n  void before() {}\n  void cut() {\n    if (a) {\n  void after() {}\n}\n",
        "A, A::before, A::cut, A::after",
    ),
    ("kotlin", "fun before() {}\n\nfun cut() {\n  if (a) {\n\nfun after() {}\n", "before, cut, after"),
    (
        "c",
        "int before(void) { return 1; }\n\nint cut(void)\n{\n  if (a) {\n\nint after(void)\n{\n  return 2;\n}\n",
        "before, cut, after",
    ),
    (
        "cpp",
        "int before() { return 1; }\n\nint cut() {\n  if (a) {\n\nint after() { return 2; }\n",
        "before, cut, after",
    ),
    (
        "csharp",
        "class A {\n  void before() {}\n  void cut() {\n    if (a) {\n  void after() {}\n}\n",
        "A, A::before, A::cut, A::after",
    ),
    ("ruby", "def before\nend\n\ndef cut\n  if a\n    x = [1,\n\ndef after\nend\n", "before, after"),
    ("php", "<?php\nfunction before() {}\nfunction cut() {\n  if ($a) {\nfunction after() {}\n", "before, cut, after"),
    ("swift", "func before() {}\n\nfunc cut() {\n  if a {\n\nfunc after() {}\n", "before, cut, after"),
    (
        "scala",
        "object A {\n  def before() = 1\n  def cut() = {\n    if (a) {\n  def after() = 2\n}\n",
        "A, A::before, A::cut, A::after",
    ),
    ("lua", "function before() end\n\nfunction cut()\n  if a then\n\nfunction after() end\n", "before, after"),
    ("bash", "before() {\n  :\n}\n\ncut() {\n  if a; then\n\nafter() {\n  :\n}\n", "before, after"),
    (
        "elixir",
        "defmodule A do\n  def before(x), do: x\n\n  def cut(x) do\n    [x,\n\n  def later(x) do\n    x\n  end\nend\n",
        "A, A::before, A::cut, A::cut::later",
    ),
    ("haskell", "before :: Int\nbefore = 1\n\ncut x = (x + [1,\n\nafter :: Int\nafter = 2\n", "before, cut, after"),
    ("ocaml", "let before () = 1\n\nlet cut () = begin (1 + [\n\nlet after () = 2\n", "before, cut, after"),
    ("ocaml-interface", "val before : int\n\nval cut : (int\n\nval after : int\n", "before, cut, after"),
    ("zig", "fn before() void {}\n\nfn cut() void {\n    if (a) {\n\nfn after() void {}\n", "before, cut, after"),
];

#[test]
fn unclosed_bracket_hides_nothing_around_it() {
    for (language, text, expected) in UNCLOSED {
        let found = symbols(Language::named(language).unwrap(), text).unwrap();
        let names: Vec<_> = found.all().iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(names.join(", "), *expected, "{language}");
        assert!(found.is_broken(), "{language}");
    }
}

#[test]
fn text_with_the_least_errors_is_read_and_not_the_one_with_most_names() {
    // Its brackets balance only without the `#else` branches, and one line is not C++ at all.
    let text = r"namespace Napi {
#ifdef CUSTOM
namespace CUSTOM {
#endif

template <typename T>
inline Buffer<T> Buffer<T>::NewOrCopy(Env env, T* data) {
#ifndef NO_EXTERNAL
  Status status = external(env, data);
  if (status == not_allowed) {
#endif
    Buffer<T> copy = Copy(env, data);
    return copy;
#ifndef NO_EXTERNAL
  }
  return Buffer(env, status);
#endif
}

inline bool Env::IsPending() const {
  bool result @;
  return result;
}

inline Value Env::Null() const {
  return Value(*this);
}

#ifdef EXCEPTIONS
inline void Error::Throw() const {
  throw *this;
}
#else
inline void Error::Fatal() const {
  abort();
}
inline void Error::Note() const {
  note();
}
#endif

#ifdef CUSTOM
}
#endif
}
";
    let found = symbols(Language::named("cpp").unwrap(), text).unwrap();
    let names: Vec<&str> = found.all().iter().map(|symbol| symbol.name.as_str()).collect();
    assert!(found.is_broken());
    let methods = ["Buffer::NewOrCopy", "Env::IsPending", "Env::Null", "Error::Throw"];
    assert_eq!(names[2..], methods.map(|name| format!("Napi::CUSTOM::{name}")), "{names:?}");
}

#[test]
fn every_language_is_broken_once() {
    for language in Language::all() {
        assert!(UNCLOSED.iter().any(|(name, ..)| *name == language.name()), "{language}");
    }
}

#[test]
fn repaired_code_has_the_lines_and_signatures_of_the_text() {
    let text = "fn cut(a: u8) {\n    if a { // b\n\n/// Late.\nfn after(c: u8) {}\n";
    let found = symbols(Language::named("rust").unwrap(), text).unwrap();
    let [cut, after] = found.all() else { panic!("{found:?}") };
    assert_eq!((cut.lines, cut.signature.as_str()), (LineRange { start: 1, end: 2 }, "fn cut(a: u8)"));
    assert_eq!((after.lines, after.signature.as_str()), (LineRange { start: 5, end: 5 }, "fn after(c: u8)"));
    assert_eq!(after.doc, Some(LineRange { start: 4, end: 4 }));
}

/// Line endings, byte order marks and blanks do not change the symbols.
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
    const UNITS: &[&str] = &["(", "[", "{", "a(", "if a {", "{\n", "fn a() {", "function a() {", "class A {", "\""];
    for language in Language::all() {
        for unit in UNITS {
            // Refusing is fine too; the call must return.
            let _ = symbols(language, &unit.repeat(1_000));
        }
    }
    let depth = 10_000;
    let text = format!("fn a() {{ {}1{}; }} fn b() {{}}", "(".repeat(depth), ")".repeat(depth));
    let found = symbols(Language::named("rust").unwrap(), &text).unwrap();
    assert_eq!(found.all().len(), 2);
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
    assert_eq!(symbols(rust, &text), Err(ParseRefusal::TooLarge { bytes: MAX_BYTES + 1 }));
    assert!(symbols(rust, &text[1..]).is_ok());
}
