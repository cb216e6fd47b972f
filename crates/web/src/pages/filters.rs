//! The filter bar: chips for the conditions of the filter, an input for words or another condition, menus for grouping
//! and sorting. The script adds pickers; without it the input takes any filter.

use app::Error;
use maud::{Markup, html};
use model::filter::{BareWords, Expr, Filter};

use super::address::Asked;
use super::frame::PageContext;
use super::icons::{icon, small, with_class};
use super::{display, words};

/// What a page shows of all items: a filter and words to search for.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Narrowing {
    /// A valid filter.
    pub(super) filter: Option<String>,
    /// Words to search for.
    pub(super) words: Option<String>,
    /// Text that is neither.
    pub(super) invalid: Option<String>,
}

impl Narrowing {
    /// Reads the parameters `filter` and `q`, and `find`, which is what the input was given.
    pub(super) fn of(look: &PageContext) -> Self {
        let mut narrowing = Self { words: look.query.text("q").map(str::to_owned), ..Self::default() };
        for text in ["filter", "find"].into_iter().filter_map(|name| look.query.text(name)) {
            narrowing.add(look, text.trim());
        }
        narrowing
    }

    fn add(&mut self, look: &PageContext, text: &str) {
        if Filter::parse_with(text, look.now, BareWords::Refuse).is_ok() {
            self.filter = Some(match self.filter.take() {
                Some(filter) => format!("({filter}) and ({text})"),
                None => text.to_owned(),
            });
        } else if is_words(text) {
            self.words = Some(self.words.take().map_or_else(|| text.to_owned(), |words| format!("{words} {text}")));
        } else {
            self.invalid = Some(text.to_owned());
        }
    }

    /// Returns all of it as one filter, for a saved view: each word must be in the text of an item.
    pub(super) fn as_filter(&self) -> Option<String> {
        let words = self.words.iter().flat_map(|words| words.split_whitespace());
        let quoted = |word: &str| format!("text ~ \"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""));
        let own =
            self.filter.iter().map(|filter| if self.words.is_some() { format!("({filter})") } else { filter.clone() });
        let all: Vec<String> = own.chain(words.map(quoted)).collect();
        (!all.is_empty()).then(|| all.join(" and "))
    }

    /// Returns the error of a text that is neither a filter nor words.
    pub(super) fn mistake(&self, project: &app::Project) -> Option<Error> {
        let filter = self.invalid.clone()?;
        project.list(&app::verb::ListOptions { filter: Some(filter), limit: Some(0), ..Default::default() }).err()
    }

    /// Returns whether it leaves nothing out.
    pub(super) fn is_empty(&self) -> bool {
        self.filter.is_none() && self.words.is_none()
    }

    /// Returns the URL of the same page without it.
    pub(super) fn cleared(query: &Asked, path: &str) -> String {
        Self::default().write(query).at(path)
    }

    /// Returns the parameters of a URL with this narrowing instead of the given one.
    fn write(&self, query: &Asked) -> Asked {
        query.with("find", None).with("filter", self.filter.as_deref()).with("q", self.words.as_deref())
    }
}

/// Returns whether a text can only be words to search for: it has no operator.
fn is_words(text: &str) -> bool {
    !text.contains(['=', '<', '>', '~', '!', '(', ')', '&', '|'])
}

/// A menu of the bar.
pub(super) struct Choice {
    /// The parameter of the URL.
    pub(super) parameter: &'static str,
    /// The name of the menu.
    pub(super) name: &'static str,
    pub(super) icon: &'static str,
    /// Value and name of each choice; the first is the default.
    pub(super) values: &'static [(&'static str, &'static str)],
}

impl Choice {
    /// Returns the chosen value.
    pub(super) fn chosen(&self, look: &PageContext) -> &'static str {
        let given = look.query.text(self.parameter);
        self.values
            .iter()
            .find(|(value, _)| Some(*value) == given)
            .or(self.values.first())
            .map_or("", |(value, _)| value)
    }

    /// Returns whether another value than the default is chosen.
    pub(super) fn is_changed(&self, look: &PageContext) -> bool {
        self.values.first().is_some_and(|(value, _)| *value != self.chosen(look))
    }
}

/// What the bar offers besides the filter.
#[derive(Default)]
pub(super) struct BarOptions<'a> {
    pub(super) menus: &'a [Choice],
    /// The button that saves what the page shows.
    pub(super) save: Option<Markup>,
    /// Whether the page shows cards or rows, whose parts can be chosen.
    pub(super) has_cards: bool,
}

/// Renders the bar of the page at `path`.
pub(super) fn bar(
    look: &PageContext,
    path: &str,
    narrowing: &Narrowing,
    mistake: Option<&Error>,
    options: &BarOptions<'_>,
) -> Markup {
    html! {
        div class="filters" id="filters" data-path=(path) {
            (chips(look, path, narrowing))
            form action=(path) data-query role="search" aria-label="Filter" {
                @for (name, value) in kept(look, narrowing) { input type="hidden" name=(name) value=(value); }
                label for="find" class="unseen" { "Filter" }
                (small("filter"))
                input id="find" name="find" value=[narrowing.invalid.as_deref()] placeholder="Filter by words" spellcheck="false" autocomplete="off"
                    autocapitalize="off" aria-invalid=[mistake.map(|_| "true")] aria-describedby=[mistake.map(|_| "filter-error")];
            }
            button type="button" class="button ghost js" data-act="filter" { (small("plus")) "Filter" }
            @if !narrowing.is_empty() {
                a class="button ghost" href=(Narrowing::cleared(&look.query, path)) data-query { "Clear" }
            }
            @if let Some(save) = &options.save { (save) }
            span class="grow" {}
            @for menu in options.menus { (menu_of(look, path, menu)) }
            @if options.has_cards { (display::menu(look)) }
        }
        @if let Some(error) = mistake { (explanation(error)) }
    }
}

fn kept(look: &PageContext, narrowing: &Narrowing) -> Vec<(&'static str, String)> {
    let mut kept: Vec<(&'static str, String)> = ["group", "sort", "show", "view"]
        .into_iter()
        .filter_map(|name| Some((name, look.query.text(name)?.to_owned())))
        .collect();
    kept.extend(narrowing.filter.clone().map(|filter| ("filter", filter)));
    kept.extend(narrowing.words.clone().map(|words| ("q", words)));
    kept
}

fn chips(look: &PageContext, path: &str, narrowing: &Narrowing) -> Markup {
    let conditions = narrowing.filter.as_deref().and_then(|filter| Filter::parse(filter, look.now).ok());
    let conditions: Vec<Expr> = match conditions.as_ref().map(Filter::expr) {
        Some(Expr::And(operands)) => operands.clone(),
        Some(Expr::True) | None => Vec::new(),
        Some(other) => vec![other.clone()],
    };
    let without = |place: usize| {
        let rest: Vec<Expr> =
            conditions.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, expr)| expr.clone()).collect();
        let filter = (!rest.is_empty()).then(|| Expr::all(rest).to_string());
        Narrowing { filter, ..narrowing.clone() }.write(&look.query).at(path)
    };
    html! {
        @if let Some(text) = &narrowing.words {
            (chip("search", "Text", "contains", text, &Narrowing { words: None, ..narrowing.clone() }.write(&look.query).at(path)))
        }
        @for (place, condition) in conditions.iter().enumerate() {
            @let (field, operator, value) = parts(&condition.to_string());
            (chip(icon_of(&field), &words::status(&field), &operator, &value, &without(place)))
        }
    }
}

fn chip(glyph: &str, field: &str, operator: &str, value: &str, without: &str) -> Markup {
    html! {
        span class="chip" {
            span { (small(glyph)) (field) }
            @if !operator.is_empty() { span class="op" { (operator) } }
            @if !value.is_empty() { span class="truncate" title=(value) { (value) } }
            a class="remove" href=(without) data-query aria-label={ "Remove the filter " (field) " " (operator) " " (value) } { (icon("close")) }
        }
    }
}

/// Splits a simple condition into field, operator in words, and value; anything else is shown as it is.
fn parts(condition: &str) -> (String, String, String) {
    const OPERATORS: [(&str, &str); 7] = [
        ("==", "is"),
        ("!=", "is not"),
        ("~", "contains"),
        ("<=", "at most"),
        (">=", "at least"),
        ("<", "below"),
        (">", "above"),
    ];
    let mut words = condition.splitn(3, ' ');
    let (Some(field), Some(symbol), Some(value)) = (words.next(), words.next(), words.next()) else {
        return (condition.to_owned(), String::new(), String::new());
    };
    let operator = OPERATORS.iter().find(|(own, _)| *own == symbol);
    let is_simple = !value.contains(" and ") && !value.contains(" or ");
    match operator.filter(|_| is_simple && field.chars().all(|c| c.is_alphanumeric() || c == '_')) {
        Some((_, operator)) => (field.to_owned(), (*operator).to_owned(), value.trim_matches('"').to_owned()),
        None => (condition.to_owned(), String::new(), String::new()),
    }
}

fn icon_of(field: &str) -> &'static str {
    match field {
        "status" | "state" => "s-ready",
        "labels" => "tag",
        "assignee" | "author" | "assignees" => "user",
        "priority" => "p-medium",
        "milestone" => "k-milestone",
        "parent" => "k-epic",
        "kind" => "k-task",
        "board" => "board",
        "due" | "started" | "completed" | "expected" | "created" | "updated" => "due",
        "blocked" => "blocked",
        _ => "filter",
    }
}

fn menu_of(look: &PageContext, path: &str, menu: &Choice) -> Markup {
    let chosen = menu.chosen(look);
    let name = menu.values.iter().find(|(value, _)| *value == chosen).map_or("", |(_, name)| name);
    html! {
        details class="menu" id={ "menu-" (menu.parameter) } {
            summary class="button ghost" { (small(menu.icon)) (menu.name) " " b { (name) } }
            div class="menu-list" {
                @for (place, (value, name)) in menu.values.iter().enumerate() {
                    a href=(look.query.with(menu.parameter, (place > 0).then_some(value)).at(path)) data-query aria-current=[(*value == chosen).then_some("true")] {
                        (name)
                        @if *value == chosen { (with_class("check", "i s check")) }
                    }
                }
            }
        }
    }
}

/// Renders what a page says if the narrowing leaves everything out.
pub(super) fn nothing_matches(look: &PageContext, path: &str) -> Markup {
    html! {
        div class="page" { div class="empty" { div {
            (with_class("search", "i art small"))
            h2 { "No items match" }
            p { "The conditions above leave everything out." }
            a class="button" href=(Narrowing::cleared(&look.query, path)) data-query { "Clear the filter" }
        } } }
    }
}

fn explanation(error: &Error) -> Markup {
    let (what, place) = error.message.split_once('\n').unwrap_or((&error.message, ""));
    html! {
        div id="filter-error" class="notice danger filter-error" role="alert" {
            div {
                p { (what) }
                @if !place.is_empty() { pre { (place) } }
                @if let Some(hint) = &error.hint { p { (hint) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use app::Role;

    use super::*;

    fn narrowing(pairs: &[(&str, &str)]) -> Narrowing {
        let query = pairs.iter().fold(Asked::default(), |query, (name, value)| query.and(name, value));
        Narrowing::of(&PageContext::example(Role::Reader, query))
    }

    #[test]
    fn bare_words_search_and_conditions_filter() {
        let found = narrowing(&[("find", "login page")]);
        assert_eq!((found.filter, found.words, found.invalid), (None, Some("login page".into()), None));
        let found = narrowing(&[("filter", "labels == bug"), ("find", "priority >= 5"), ("q", "safari")]);
        assert_eq!(found.filter.as_deref(), Some("(labels == bug) and (priority >= 5)"));
        assert_eq!(found.words.as_deref(), Some("safari"));
        assert_eq!(narrowing(&[("find", "stauts == open")]).invalid.as_deref(), Some("stauts == open"));
    }

    #[test]
    fn words_are_saved_as_conditions() {
        let saved = |pairs| narrowing(pairs).as_filter();
        assert_eq!(saved(&[]), None);
        assert_eq!(
            saved(&[("filter", "labels == bug or blocked == true")]).as_deref(),
            Some("labels == bug or blocked == true")
        );
        let both = saved(&[("filter", "labels == a or labels == b"), ("q", "pay \"by\"")]).unwrap();
        assert_eq!(both, r#"(labels == a or labels == b) and text ~ "pay" and text ~ "\"by\"""#);
        Filter::parse(&both, jiff::Timestamp::UNIX_EPOCH).unwrap();
    }

    #[test]
    fn a_condition_is_shown_as_field_operator_and_value() {
        let check = |text: &str, expect: (&str, &str, &str)| {
            let (field, operator, value) = parts(text);
            assert_eq!((field.as_str(), operator.as_str(), value.as_str()), expect);
        };
        check("labels == \"bug\"", ("labels", "is", "bug"));
        check("status != \"done\"", ("status", "is not", "done"));
        check("not (a == b and c == d)", ("not (a == b and c == d)", "", ""));
    }

    #[test]
    fn removing_a_chip_keeps_the_others() {
        let query = Asked::default().and("filter", "labels == bug and priority >= 5").and("group", "epic");
        let look = PageContext::example(Role::Reader, query);
        let html = chips(&look, "/all", &Narrowing::of(&look)).into_string();
        insta::assert_snapshot!(testkit::tags_with(&html, "href="), @r#"
        <use href="/assets/<id>/icons.svg#i-tag">
        <a class="remove" href="/all?group=epic&amp;filter=priority%20%3E%3D%205" data-query aria-label="Remove the filter Labels is bug">
        <use href="/assets/<id>/icons.svg#i-close">
        <use href="/assets/<id>/icons.svg#i-p-medium">
        <a class="remove" href="/all?group=epic&amp;filter=labels%20%3D%3D%20%22bug%22" data-query aria-label="Remove the filter Priority at least 5">
        <use href="/assets/<id>/icons.svg#i-close">
        "#);
    }
}
