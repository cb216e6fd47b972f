//! Resolution of names.

use anchors::{Language, NameMatch, Resolution, SymbolQuery, Symbols, resolve, symbols};

const CLIENT: &str = "
pub struct Client;
impl Client {
    pub fn connect(&self) {}
    pub fn close(&self) {}
    fn id(&self) {}
}
pub struct Pool;
impl Pool {
    pub fn close(&self) {}
    pub fn drain(&self, limit: usize) {}
}
impl Display for Pool { fn fmt(&self) {} }
impl Debug for Pool { fn fmt(&self) {} }
pub fn connect_all() {}
pub mod wire { pub fn encode() {} pub mod v2 { pub fn encode(x: u8) {} } }
fn größe() {}
#[cfg(test)] mod tests { fn connect_all() {} }
";

fn client() -> Symbols {
    symbols(Language::named("rust").unwrap(), CLIENT).unwrap()
}

/// Formats a resolution on one line.
fn told(resolution: &Resolution<'_>) -> String {
    let how = |how: &NameMatch| match how {
        NameMatch::Exact => "exact".to_owned(),
        NameMatch::Unqualified => "unqualified".to_owned(),
        NameMatch::Near(distance) => format!("near {distance}"),
    };
    let name = |symbol: &&anchors::Symbol| symbol.precise.clone().unwrap_or(symbol.name.clone());
    match resolution {
        Resolution::Found { symbol, how: it } => format!("{}: {}", how(it), name(symbol)),
        Resolution::Ambiguous { symbols, how: it } => {
            format!("{}, ambiguous: {}", how(it), symbols.iter().map(name).collect::<Vec<_>>().join(", "))
        }
        Resolution::Lost { nearest } => format!("lost, near {}", nearest.len()),
    }
}

#[track_caller]
fn check(wanted: &str, expected: &str) {
    assert_eq!(told(&resolve(&client(), wanted)), expected, "{wanted}");
}

#[test]
fn whole_name_is_exact() {
    check("Client::connect", "exact: Client::connect");
    check("connect_all", "exact: connect_all");
    check("tests::connect_all", "exact: tests::connect_all");
    check("impl Display for Pool", "exact: impl Display for Pool");
}

#[test]
fn separators_and_brackets_do_not_matter() {
    for wanted in
        ["Client.connect", "Client#connect", "Client/connect()", " Client::connect() ", "Client.connect(a, b)"]
    {
        check(wanted, "exact: Client::connect");
    }
}

#[test]
fn arguments_of_types_and_pointers_do_not_matter() {
    for wanted in
        ["Client<T>::connect", "(*Client).connect", "(*Client).connect(url)", "&Client::connect", "Client<A>.connect()"]
    {
        check(wanted, "exact: Client::connect");
    }
}

#[test]
fn end_of_a_name_is_enough() {
    check("connect", "unqualified: Client::connect");
    check("v2::encode", "unqualified: wire::v2::encode");
}

#[test]
fn end_that_fits_several_is_ambiguous() {
    check("close", "unqualified, ambiguous: Client::close, Pool::close");
    check("encode", "unqualified, ambiguous: wire::encode, wire::v2::encode");
}

#[test]
fn modules_in_front_that_the_text_does_not_know_are_left_out() {
    check("crate::net::Client::connect", "unqualified: Client::connect");
    check("crate::net::connect_all", "unqualified: connect_all");
    check("Net.Http.Client.connect", "unqualified: Client::connect");
}

#[test]
fn owner_that_is_a_type_is_not_left_out() {
    check("Server::connect_all", "lost, near 5");
}

#[test]
fn precise_name_decides_between_traits() {
    check("Pool::fmt", "exact, ambiguous: <Pool as Display>::fmt, <Pool as Debug>::fmt");
    check("<Pool as Debug>::fmt", "exact: <Pool as Debug>::fmt");
}

#[test]
fn written_parameters_decide_between_overloads() {
    check("encode(x: u8)", "unqualified: wire::v2::encode");
    check("encode( x:u8 )", "unqualified: wire::v2::encode");
    check("encode(u8)", "unqualified: wire::v2::encode");
    check("encode(y)", "unqualified, ambiguous: wire::encode, wire::v2::encode");
}

#[test]
fn signature_decides_between_symbols_of_one_name() {
    let found = client();
    let signature = Some("pub fn encode(x: u8)");
    let resolution = resolve(&found, SymbolQuery { name: "encode", signature });
    assert_eq!(told(&resolution), "unqualified: wire::v2::encode");
    let unknown = resolve(&found, SymbolQuery { name: "encode", signature: Some("fn other()") });
    assert_eq!(told(&unknown), "unqualified, ambiguous: wire::encode, wire::v2::encode");
}

#[test]
fn slip_of_up_to_three_characters_is_forgiven() {
    check("Client::conxect", "near 1: Client::connect");
    check("Clxxnt::connect", "near 2: Client::connect");
    check("conxect_ally", "near 2, ambiguous: connect_all, tests::connect_all");
    check("grösse", "near 2: größe");
    check("connect_every", "lost, near 5");
}

#[test]
fn short_names_forgive_little() {
    check("ix", "lost, near 5");
    check("Client::ab", "lost, near 5");
    check("drian", "near 2: Pool::drain");
}

#[test]
fn lost_name_gets_suggestions() {
    let found = client();
    let Resolution::Lost { nearest } = resolve(&found, "Client::connection_open") else { panic!("found") };
    assert_eq!(nearest[0], "Client::connect");
    assert_eq!(nearest.len(), 5);
}

#[test]
fn empty_text_and_empty_anchor_resolve_to_nothing() {
    let nothing = Symbols::default();
    for wanted in ["", "::", "()", ".", "a"] {
        assert_eq!(resolve(&nothing, wanted), Resolution::Lost { nearest: vec![] }, "{wanted}");
    }
    for wanted in ["", "::", " . "] {
        check(wanted, "lost, near 0");
    }
}

#[track_caller]
fn check_line(language: &str, text: &str, wanted: &str, line: usize) {
    let found = symbols(Language::named(language).unwrap(), text).unwrap();
    let resolution = resolve(&found, wanted);
    let Resolution::Found { symbol, .. } = resolution else { panic!("{resolution:?}") };
    assert_eq!(symbol.lines.start, line);
}

#[test]
fn function_outranks_value() {
    check_line("python", "class A:\n    name = 1\n    other = 2\n    def name(self): ...\n", "A.name", 4);
}

#[test]
fn definition_outranks_declaration() {
    check_line("c", "int a(int);\nint b(int);\nint a(int x) { return x; }\n", "a", 3);
}
