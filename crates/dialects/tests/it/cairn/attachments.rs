//! Attached files as resources.

use mcp::{Call, ResourceData};
use serde_json::json;

use super::bench::Bench;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

fn attach(bench: &Bench, files: &[(&str, &[u8])]) {
    let project = app::Project::open(bench.repository.path(), app::Env::default(), std::sync::Arc::new(|_| {}));
    let files = files
        .iter()
        .map(|(name, content)| app::verb::NewAttachment { name: (*name).to_owned(), content: content.to_vec() });
    project.unwrap().attach(&"1".into(), &files.collect::<Vec<_>>(), None).unwrap();
}

#[test]
fn show_names_the_uri_of_texts_and_images_which_can_be_read() {
    let bench = Bench::new();
    bench.call("create", json!({"title": "Login fails"}));
    attach(&bench, &[("screen.png", PNG), ("trace log.txt", b"panicked at 12"), ("core", &[0xff, 0xfe, 0])]);
    let shown = bench.call("show", json!({"id": 1}));
    let files = shown.structured["items"][0]["attachments"].clone();
    let uri = files[0]["uri"].as_str().unwrap();
    assert!(uri.starts_with("cairn://item/1/attachment/") && shown.text.contains(uri), "{}", shown.text);
    let read = |uri: &str| bench.read(uri, &Call::unheard());
    let picture = read(uri).unwrap();
    assert_eq!(
        (picture.mime.as_deref(), &picture.data),
        (Some("image/png"), &ResourceData::Base64("iVBORw0KGgoAAAANSUhEUg==".to_owned()))
    );
    let text = read("cairn://item/1/attachment/trace%20log.txt").unwrap();
    assert_eq!(
        (text.mime.as_deref(), &text.data),
        (Some("text/plain"), &ResourceData::Text("panicked at 12".to_owned()))
    );
    assert_eq!(read("cairn://item/1/attachment/core").unwrap_err(), "`core` is neither a text nor an image");
    insta::assert_snapshot!(read("cairn://item/1/attachment/none.txt").unwrap_err(), @"
    task #1 `Login fails` has no attachment `none.txt`
    hint: it has: screen.png, trace log.txt, core
    ");
    let large = vec![b'a'; 2 * 1024 * 1024 + 1];
    attach(&bench, &[("large.txt", &large)]);
    insta::assert_snapshot!(read("cairn://item/1/attachment/large.txt").unwrap_err(), @"`large.txt` has 2097153 bytes; a resource has at most 2097152");
}
