//! Each panel, and what its keys do.

use model::item::ItemKind;
use model::item_ref::ItemRef;

use crate::screen::Screen;

/// Checks that a screen shows all these texts.
#[track_caller]
pub(crate) fn assert_shows(screen: &mut Screen, texts: &[&str]) {
    let shown = screen.shown();
    for text in texts {
        assert!(shown.contains(text), "no {text:?} in\n{shown}");
    }
}

#[test]
fn the_board_has_a_column_for_each_status() {
    let mut screen = Screen::new(110, 12);
    insta::assert_snapshot!(screen.shown(), @r"
     project  1 Board  2 List  3 Item  4 Inbox (1)  5 Annotations
    ┌ ○ backlog 1 ─────────────┐┌ ○ ready 2 ──────────────┐┌ ◐ in_progress 0 ─────────┐┌ ◕ review 0 ─────────────┐
    │#3 Crash after login      ││#1 Login fails on Safari ││                          ││                         │
    │  high                    ││when cookies are blocked ││                          ││                         │
    │                          ││  urgent                 ││                          ││                         │
    │                          ││#2 登録できない:         ││                          ││                         │
    │                          ││日本語のタイトル         ││                          ││                         │
    │                          ││                         ││                          ││                         │
    │                          ││                         ││                          ││                         │
    │                          ││                         ││                          ││                         │
    └──────────────────────────┘└─────────────────────────┘└──────────────────────────┘└─────────────────────────┘
     enter open · space next status · s status · E edit · n new · c comment · / filter · ? help · q quit
    ");
}

#[test]
fn every_size_is_drawn() {
    let mut screen = Screen::new(80, 24);
    for panel in ["1", "2", "3", "4", "5", "?", "<esc>n", "<enter>a long title", "<esc>1s"] {
        screen.press(panel);
        for (columns, rows) in [(1, 1), (2, 3), (10, 4), (27, 8), (200, 60)] {
            screen.resize(columns, rows);
            screen.shown();
        }
    }
}

#[test]
fn an_item_moves_to_the_next_status_and_back() {
    let mut screen = Screen::new(110, 30);
    screen.press("l ");
    assert_shows(&mut screen, &["moved to", "(z undoes)"]);
    let status = |screen: &Screen| screen.other().show(&ItemRef::parse("1")).unwrap().status;
    assert_ne!(status(&screen), "ready");
    screen.press("z");
    assert_eq!(status(&screen), "ready");
    assert_shows(&mut screen, &["undone: ", "#1 Login fails on Safari"]);
}

#[test]
fn cards_change_places_and_go_back() {
    let mut screen = Screen::new(110, 30);
    let order = |screen: &mut Screen| {
        let shown = screen.shown();
        (shown.find("#1 ").unwrap(), shown.find("#2 ").unwrap())
    };
    screen.press("l");
    assert!(order(&mut screen).0 < order(&mut screen).1);
    screen.press("J");
    assert!(order(&mut screen).0 > order(&mut screen).1);
    screen.press("z");
    assert!(order(&mut screen).0 < order(&mut screen).1);
}

#[test]
fn menus_set_fields() {
    let mut screen = Screen::new(110, 30);
    screen.press("lp");
    assert_shows(&mut screen, &["Priority", "urgent", "medium"]);
    screen.press("<down><down><enter>");
    let item = screen.other().show(&ItemRef::parse("1")).unwrap();
    assert_eq!(model::priority::PriorityLevel::of(item.priority).word(), "medium");
    screen.press("t<enter>backend<enter>");
    assert_eq!(screen.other().show(&ItemRef::parse("1")).unwrap().labels, ["backend"]);
    screen.press("t<enter>");
    assert!(screen.other().show(&ItemRef::parse("1")).unwrap().labels.is_empty());
    screen.press("fk<esc>e!<enter>");
    assert!(screen.other().show(&ItemRef::parse("1")).unwrap().title.ends_with("blocked!"));
}

#[test]
fn an_item_is_created_commented_closed_and_deleted() {
    let mut screen = Screen::new(110, 30);
    screen.press("n<down><enter>Write the guide<enter>");
    let item = |screen: &Screen| screen.other().show(&ItemRef::parse("4")).unwrap();
    assert_eq!((item(&screen).kind, item(&screen).title), (ItemKind::Task, "Write the guide".to_owned()));
    screen.press("cIn German, too.<enter>x");
    assert_eq!(item(&screen).comments.unwrap()[0].body, "In German, too.");
    assert_eq!(item(&screen).state, model::workflow::State::Closed);
    screen.press("2A");
    assert_shows(&mut screen, &["4 items, with closed ones", "Write the guide"]);
    // The newest is on top.
    screen.press("kkk<enter>");
    assert_shows(&mut screen, &["In German, too.", "task #4"]);
    screen.press("dn");
    assert!(!item(&screen).deleted);
    screen.press("dy");
    assert!(item(&screen).deleted);
    screen.press("z");
    assert!(!item(&screen).deleted);
}

#[test]
fn a_filter_narrows_all_panels_and_a_mistake_keeps_it() {
    let mut screen = Screen::new(110, 30);
    screen.press("2/safari<enter>");
    assert_shows(&mut screen, &["1 item ", "Login fails on Safari"]);
    screen.press("/<esc>/ and (<enter>");
    assert_shows(&mut screen, &["1 item ", "Login fails on Safari"]);
    screen.press("<esc>");
    assert_shows(&mut screen, &["3 items"]);
}

#[test]
fn changes_of_others_appear() {
    let mut screen = Screen::new(110, 30);
    assert!(!screen.state.follow());
    screen.other().create(&app::NewItem::new(ItemKind::Issue, "Written elsewhere")).unwrap();
    assert!(screen.state.follow());
    assert_shows(&mut screen, &["Written elsewhere"]);
}

#[test]
fn messages_are_answered_and_resolved() {
    let mut screen = Screen::new(110, 30);
    screen.press("4");
    assert_shows(&mut screen, &["4 Inbox (1)", "Handle the error here.", "main.rs"]);
    screen.press("rWhich one?<enter>");
    assert_shows(&mut screen, &["replied", "Which one?"]);
    screen.press("x");
    assert_shows(&mut screen, &["resolved the message", "no messages"]);
}

#[test]
fn the_help_lists_the_keys() {
    let mut screen = Screen::new(110, 60);
    screen.press("?");
    assert_shows(&mut screen, &["space  set the next status", "z  undo your last change", "q  quit"]);
    screen.press("q");
    assert!(!screen.state.quits());
    screen.press("q");
    assert!(screen.state.quits());
}

#[test]
fn no_title_moves_the_cursor() {
    let mut screen = Screen::new(80, 20);
    screen.press("nj<enter>a\u{202e}b<enter>");
    assert!(!screen.shown().contains('\u{202e}'));
}
