//! The pages answer, escape what people wrote, and know what they do not have.

use testkit::tags_with;

use crate::site::Site;

#[test]
fn every_page_answers_with_html() {
    let site = Site::new(&["One"]);
    for path in ["/", "/item/1", "/milestones"] {
        let answer = site.get(path, &site.reader);
        assert_eq!((answer.status, answer.header("content-type")), (200, "text/html; charset=utf-8"), "{path}");
        assert!(answer.body.starts_with("<!DOCTYPE html><html lang=\"en\""), "{path}: {}", answer.body);
    }
    assert_eq!(site.get("/item/99", &site.reader).status, 404);
    assert_eq!(site.get("/nothing", &site.reader).status, 404);
}

#[test]
fn titles_are_text_and_never_markup() {
    let site = Site::new(&["<script>alert(1)</script>"]);
    for path in ["/", "/item/1"] {
        let body = site.get(path, &site.reader).body;
        assert!(!body.contains("<script>alert"), "{path}");
    }
    insta::assert_snapshot!(tags_with(&site.get("/item/1", &site.reader).body, "<title"), @"
    <title>#1 &lt;script&gt;alert(1)&lt;/script&gt; · project
    <title>Issue
    ");
}
