//! Everything the board can change, by keys.

use app::verb::StatusChange;
use app::view::ItemView;
use app::{NewItem, Project};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::priority::PriorityLevel;

use crate::panels::assert_shows;
use crate::screen::Screen;

fn item(screen: &Screen, number: &str) -> ItemView {
    screen.other().show(&ItemRef::parse(number)).unwrap()
}

/// A screen with the first item selected, after `prepare` changed the project.
fn on_first_item(prepare: impl FnOnce(&mut Project)) -> Screen {
    let mut screen = Screen::new(110, 30);
    prepare(&mut screen.other());
    screen.state.follow();
    screen.press("l");
    screen
}

#[test]
fn title_and_description_are_edited_in_the_editor() {
    let mut screen = on_first_item(|_| {});
    screen.press("E").write_in_editor("Login fails\n\nOn *Safari*.");
    assert_eq!(
        (item(&screen, "1").title, item(&screen, "1").description),
        ("Login fails".into(), "On *Safari*.".into())
    );
    screen.press("E").write_in_editor("§");
    assert_shows(&mut screen, &["nothing changed"]);
    screen.press("E").write_in_editor("");
    assert_shows(&mut screen, &["the title was left empty; nothing was changed"]);
    screen.press("z");
    assert_eq!(item(&screen, "1").description, "");
}

#[test]
fn an_edit_meanwhile_is_not_overwritten_and_the_text_is_kept() {
    let mut screen = on_first_item(|_| {});
    screen.press("E");
    screen.write_in_editor_while("Mine\n\nMy text", |project| {
        project.comment(&ItemRef::parse("1"), "Wait.", None).unwrap();
    });
    assert_shows(&mut screen, &["press E again: your text is kept"]);
    assert_eq!(item(&screen, "1").title, "Login fails on Safari when cookies are blocked");
    screen.press("E").write_in_editor("§ and more");
    assert_eq!((item(&screen, "1").title, item(&screen, "1").description), ("Mine".into(), "My text and more".into()));
}

#[test]
fn comments_are_written_and_edited_in_the_editor() {
    let mut screen = on_first_item(|_| {});
    screen.press("C").write_in_editor("First line\n\n- [x] done");
    screen.press("M<enter>").write_in_editor("§ and *more*");
    assert_eq!(item(&screen, "1").comments.unwrap()[0].body, "First line\n\n- [x] done and *more*");
    screen.press("<enter>");
    assert_shows(&mut screen, &["First line", "• ☑ done and more"]);
    screen.press("zz");
    assert_eq!(item(&screen, "1").comments.unwrap()[0].body, "");
    assert_shows(&mut screen, &["(removed)"]);
}

#[test]
fn markdown_is_rendered() {
    let mut screen = on_first_item(|_| {});
    let text = "Login\n\n## Steps\n\n1. open `/login`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nfn main() {}\n```";
    screen.press("E").write_in_editor(text).press("<enter>");
    assert_shows(&mut screen, &["│Steps ", "│1. open /login", "│a  b", "│─  ─", "│    fn main() {}"]);
}

#[test]
fn undo_reverts_changes_of_the_persons_other_programs() {
    let mut screen = on_first_item(|project| {
        project.create(&NewItem::new(ItemKind::Task, "Made elsewhere")).unwrap();
    });
    assert_shows(&mut screen, &["Made elsewhere"]);
    screen.press("z");
    assert_shows(&mut screen, &["undone: ", "Made elsewhere"]);
    assert!(item(&screen, "4").deleted);
}

#[test]
fn milestone_parent_and_size_are_chosen_from_menus() {
    let mut screen = on_first_item(|project| {
        project.create(&NewItem::new(ItemKind::Milestone, "Release 1.0")).unwrap();
        project.create(&NewItem::new(ItemKind::Epic, "Accounts")).unwrap();
    });
    screen.press("m");
    assert_shows(&mut screen, &["Milestone", "none", "Release 1.0"]);
    screen.press("<down><enter>");
    assert_eq!(item(&screen, "1").milestone.unwrap().title, "Release 1.0");
    choose_field(&mut screen, "parent");
    screen.press("<down><enter>");
    assert_eq!(item(&screen, "1").parent.unwrap().title, "Accounts");
    choose_field(&mut screen, "size");
    // The current value is selected, which is none.
    screen.press("<down><enter>");
    assert_eq!(item(&screen, "1").size.unwrap().to_string(), "small");
    choose_field(&mut screen, "due");
    screen.press("2030-01-02<enter>");
    assert_eq!(item(&screen, "1").due.unwrap().to_string(), "2030-01-02");
    screen.press("m<enter>");
    assert_shows(&mut screen, &["nothing changed"]);
}

/// Opens the menu of fields and chooses one.
fn choose_field(screen: &mut Screen, name: &str) {
    screen.press("f");
    let fields: Vec<&str> =
        model::field::FIELDS.iter().map(|field| field.name).filter(|name| *name != "description").collect();
    let steps = fields.iter().position(|field| *field == name).unwrap();
    screen.press(&"<down>".repeat(steps)).press("<enter>");
}

#[test]
fn links_are_added_and_removed() {
    let mut screen = on_first_item(|_| {});
    screen.press("b<enter>#3<enter>");
    assert_eq!(item(&screen, "1").blocked_by[0].number, Some(3));
    // Words offer the items that contain them.
    screen.press("b<down><down><enter>crash<enter>");
    assert_shows(&mut screen, &["#3 Crash after login"]);
    screen.press("<enter>");
    assert_eq!(item(&screen, "1").relates[0].number, Some(3));
    screen.press("b<down><down><down><enter>main.rs:man<enter>");
    assert_shows(&mut screen, &["`main.rs` has no `man`", "did you mean `main`?"]);
    screen.press("b<down><down><down><enter>main.rs:main<enter>");
    assert_eq!(item(&screen, "1").touches, ["main.rs:main"]);
    screen.press("b");
    assert_shows(&mut screen, &["remove: blocked by #3 Crash after login", "remove: code main.rs:main"]);
    screen.press("<down><down><down><down><down><enter>");
    assert!(item(&screen, "1").blocked_by.is_empty());
    screen.press("z");
    assert_eq!(item(&screen, "1").blocked_by.len(), 1);
}

#[test]
fn changes_apply_to_all_marked_items() {
    let mut screen = on_first_item(|_| {});
    screen.press("vv");
    assert_shows(&mut screen, &["2 marked", "✓ #1", "✓ #2"]);
    screen.press("pj<enter>t<enter>ui<enter>");
    for number in ["1", "2"] {
        let item = item(&screen, number);
        assert_eq!((PriorityLevel::of(item.priority), item.labels), (PriorityLevel::Urgent, vec!["ui".to_owned()]));
    }
    screen.press("xdy");
    assert!(item(&screen, "1").deleted && item(&screen, "2").deleted && !item(&screen, "3").deleted);
    screen.press("zz");
    assert!(!item(&screen, "2").deleted);
    assert_eq!(item(&screen, "2").state, model::workflow::State::Open);
}

#[test]
fn cards_go_to_the_top_and_to_the_bottom() {
    let mut screen = on_first_item(|_| {});
    screen.press("B");
    let last = item(&screen, "1").rank;
    assert!(last > item(&screen, "2").rank && last > item(&screen, "3").rank);
    screen.press("T");
    assert!(item(&screen, "1").rank < item(&screen, "2").rank);
}

#[test]
fn a_file_is_attached() {
    let mut screen = on_first_item(|_| {});
    let path = screen.repository.path().join("main.rs");
    screen.press(&format!("u{}<enter>", path.display()));
    assert_eq!(item(&screen, "1").attachments[0].name, "main.rs");
    screen.press("u/no/such/file<enter>");
    assert_shows(&mut screen, &["cannot read `/no/such/file`"]);
}

#[test]
fn boards_and_saved_views_are_shown() {
    let mut screen = on_first_item(|project| {
        let board = project.create(&NewItem::new(ItemKind::Board, "Front \"end\"")).unwrap();
        let on_board = model::field::FieldChange::parse(&model::field::BOARD, &board.id).unwrap();
        project.edit(&[ItemRef::parse("3")], &app::ChangeSet::of_fields([on_board])).unwrap();
        let query = model::saved_view::ViewQuery { text: Some("safari".to_owned()), ..Default::default() };
        project.save_view("browsers", &query).unwrap();
    });
    screen.press("w");
    assert_shows(&mut screen, &["all work", "board Front \"end\"", "view browsers"]);
    screen.press("<down><enter>2");
    assert_shows(&mut screen, &["1 item ", "Crash after login"]);
    screen.press("w<down><enter>");
    assert_shows(&mut screen, &["1 item ", "Login fails on Safari"]);
    screen.press("<esc>");
    assert_shows(&mut screen, &["4 items", "│board/1 "]);
}

#[test]
fn a_column_shows_its_limit() {
    let mut screen = on_first_item(|project| {
        for kind in [ItemKind::Issue, ItemKind::Task, ItemKind::Story, ItemKind::Epic] {
            let change = StatusChange { limit: Some(1), ..StatusChange::default() };
            project.set_status(kind, "ready", &change).unwrap();
        }
    });
    assert_shows(&mut screen, &["ready 2/1"]);
}

#[test]
fn replies_are_written_in_the_editor() {
    let mut screen = on_first_item(|_| {});
    screen.press("4C").write_in_editor("Which *error*?");
    assert_shows(&mut screen, &["replied", "Which error?"]);
}
