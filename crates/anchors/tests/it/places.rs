//! Which symbol a line belongs to.

use anchors::{Language, Symbol, Symbols, symbols};

const TEXT: &str = "\
use a::b;

/// A point.
#[derive(Debug)]
struct Point;

impl Point {
    /// Makes one.
    fn new() -> Self {
        fn inner() {}
        Point
    }

    fn a() {} fn b() {}
}
";

fn found() -> Symbols {
    symbols(Language::named("rust").unwrap(), TEXT).unwrap()
}

#[test]
fn line_belongs_to_the_innermost_symbol() {
    let expected = [
        (1, None),
        (2, None),
        (3, Some("Point")),
        (4, Some("Point")),
        (5, Some("Point")),
        (6, None),
        (7, Some("impl Point")),
        (8, Some("Point::new")),
        (9, Some("Point::new")),
        (10, Some("Point::new::inner")),
        (11, Some("Point::new")),
        (13, Some("impl Point")),
        (14, Some("Point::a")),
        (15, Some("impl Point")),
        (16, None),
        (0, None),
        (usize::MAX, None),
    ];
    let found = found();
    for (line, name) in expected {
        assert_eq!(found.at(line).map(|symbol| symbol.name.as_str()), name, "line {line}");
    }
}

#[test]
fn enclosing_symbols_are_ordered_from_the_inside() {
    let found = found();
    let inner = found.at(10).unwrap();
    let around: Vec<_> = found.enclosing(inner).map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(around, ["Point::new", "impl Point"]);
}

#[test]
fn children_are_direct_ones() {
    let found = found();
    let place = found.all().iter().position(|symbol| symbol.name == "impl Point").unwrap();
    let inside: Vec<_> = found.children(place).map(Symbol::own_name).collect();
    assert_eq!(inside, ["new", "a", "b"]);
}

#[test]
fn trailing_comment_does_not_belong_to_the_next_symbol() {
    let text = "const A: u8 = 1; // about A\nconst B: u8 = 2; // about B\n// about C\nconst C: u8 = 3;\n";
    let found = symbols(Language::named("rust").unwrap(), text).unwrap();
    let docs: Vec<_> = found.all().iter().map(|symbol| symbol.doc.map(|doc| (doc.start, doc.end))).collect();
    assert_eq!(docs, [None, None, Some((3, 3))]);
}
