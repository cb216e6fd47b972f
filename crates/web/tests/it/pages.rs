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
fn names_of_views_and_filters_are_text_and_never_markup() {
    let site = Site::new(&["One"]);
    let name = "\"><script>alert(1)<";
    let body = serde_json::json!({"name": name, "filter": "text ~ \"'><script>\""});
    assert_eq!(site.write("POST", "/api/views", &site.writer, &body).status, 200);
    let address = site.get("/view/%22%3E%3Cscript%3Ealert(1)%3C", &site.writer).header("location").to_owned();
    let body = site.get(&address, &site.writer).body;
    assert!(body.contains("&lt;script&gt;alert(1)&lt;") && !body.contains("<script>"), "{body}");
    // There is nothing to save: this is the view.
    assert!(tags_with(&body, "save-view").contains(" data-saved>"), "{body}");
    let changed =
        site.get(&address.replace("%3Cscript%3E%22", "%3Cscript%3E%22%20and%20priority%20%3E%3D%20high"), &site.writer);
    insta::assert_snapshot!(tags_with(&changed.body, "save-view"), @r#"<button type="button" class="button ghost js" id="save-view" data-act="save-view" data-view="{&quot;filter&quot;:&quot;text ~ \&quot;'&gt;&lt;script&gt;\&quot; and priority &gt;= high&quot;,&quot;layout&quot;:&quot;list&quot;,&quot;sort&quot;:[]}">Save view"#);
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
