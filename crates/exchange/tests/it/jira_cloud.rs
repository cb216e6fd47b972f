//! Jira in the shapes of its cloud, of other languages and of customized projects.

use exchange::ImportFormat::Jira;
use exchange::{DateOrder, ImportOptions, ReadOptions};
use serde_json::json;

use crate::harness::TestProject;

const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<rss version="0.92"><channel>
<item><key id="1">A-1</key><summary>Epic</summary><type id="1">Epic</type><statusCategory id="4" key="indeterminate" colorName="yellow"/><status id="3">Läuft</status>
<resolution id="-1">Nicht erledigt</resolution><assignee accountid="-1">Nicht zugewiesen</assignee><reporter accountid="557058:ab">Grace Hopper</reporter>
<created>Sat, 2 Mar 2024 09:00:00 +0100</created></item>
<item><key id="2">A-2</key><summary>Part</summary><type id="5">Task</type><statusCategory id="3" key="done" colorName="green"/><status id="4">Fertig</status>
<reporter accountid="557058:ab">Grace Hopper</reporter><created>Sat, 2 Mar 2024 09:00:00 +0100</created><resolved>Sun, 3 Mar 2024 09:00:00 +0100</resolved>
<environment>&lt;p&gt;Safari&lt;/p&gt;</environment><version>1.9</version><votes>3</votes><timespent seconds="7200">2h</timespent>
<comments><comment id="9" author="557058:ab" created="Sat, 2 Mar 2024 10:00:00 +0100">&lt;p&gt;hi&lt;/p&gt;</comment></comments>
<attachments><attachment id="1" name="shot.png" size="1" author="557058:ab" created="Sat, 2 Mar 2024 10:00:00 +0100"/></attachments>
<subtasks></subtasks>
<customfields>
<customfield id="customfield_10014" key="com.pyxis.greenhopper.jira:gh-epic-link"><customfieldname>Epic Link</customfieldname><customfieldvalues><customfieldvalue>A-1</customfieldvalue></customfieldvalues></customfield>
<customfield id="customfield_10016" key="com.pyxis.greenhopper.jira:jsw-story-points"><customfieldname>Story point estimate</customfieldname><customfieldvalues><customfieldvalue>3.0</customfieldvalue></customfieldvalues></customfield>
<customfield id="customfield_10020" key="com.pyxis.greenhopper.jira:gh-sprint"><customfieldname>Sprint</customfieldname><customfieldvalues><customfieldvalue id="1">S 1</customfieldvalue><customfieldvalue id="2">S 2</customfieldvalue></customfieldvalues></customfield>
<customfield id="customfield_1" key="com.atlassian.jira.plugin.system.customfieldtypes:multiselect"><customfieldname>Customers</customfieldname><customfieldvalues><customfieldvalue key="1">Acme</customfieldvalue><customfieldvalue key="2">Zed</customfieldvalue></customfieldvalues></customfield>
<customfield id="customfield_2" key="x"><customfieldname>Status</customfieldname><customfieldvalues><customfieldvalue>green</customfieldvalue></customfieldvalues></customfield>
<customfield id="customfield_10019" key="com.pyxis.greenhopper.jira:gh-lexo-rank"><customfieldname>Rank</customfieldname><customfieldvalues><customfieldvalue>0|i0000f:</customfieldvalue></customfieldvalues></customfield>
</customfields></item>
</channel></rss>"#;

#[test]
fn xml_of_the_cloud_keeps_every_field() {
    let mut test = TestProject::new();
    let view = test.import(Jira, XML);
    test.check("A-1", &json!({"kind": "epic", "status": "in_progress", "assignees": [], "author": "Grace Hopper"}));
    test.check(
        "A-2",
        &json!({"status": "done", "parent": "Epic", "comments": [{"author": "Grace Hopper"}],
        "extra": {"story_points": "3.0", "sprint": "S 2", "Customers": "Acme, Zed", "jira Status": "green", "environment": "Safari", "affects_versions": "1.9"}}),
    );
    let left: Vec<_> = view.left_out.iter().map(|one| (one.what.as_str(), one.count, one.example.as_str())).collect();
    assert_eq!(left, [("attachment", 1, "shot.png"), ("time tracking", 1, "A-2"), ("votes", 1, "A-2")]);
    test.import_changes_nothing(Jira, XML);
}

#[test]
fn html_becomes_markdown() {
    let mut test = TestProject::new();
    let mut n = 0;
    let mut check = |html: &str, markdown: &str| {
        n += 1;
        let escaped = html.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let xml =
            format!("<rss><item><key>A-{n}</key><summary>x</summary><description>{escaped}</description></item></rss>");
        test.import(Jira, &xml);
        assert_eq!(test.show(&format!("A-{n}")).description, markdown);
    };
    check("<p>a&nbsp;&lt;b&gt; &auml; &#8211; &unknown;</p>", "a <b> ä – &unknown;");
    check("plain a < b", "plain a < b");
    check("<p><em>a</em> <ins>b</ins> <del>c</del> <tt>d</tt></p>", "*a* b ~~c~~ `d`");
    check("<h2><a name=\"x\"></a>Title</h2>\n<p>Text</p>", "## Title\n\nText");
    check("<ol>\n<li>a</li>\n<li>b\n<ul>\n<li>c</li>\n</ul>\n</li>\n</ol>", "1. a\n2. b\n  - c");
    check(
        "<div class=\"code panel\"><div class=\"codeContent panelContent\">\n<pre class=\"code-java\"><span class=\"code-keyword\">if</span> (a &lt; b) {\n    x();\n}\n</pre>\n</div></div>",
        "```\nif (a < b) {\n    x();\n}\n```",
    );
    check("<blockquote><p>a</p>\n<p>b</p></blockquote>", "> a\n>\n> b");
    check("<p>see <img src=\"https://x/y.png\" alt=\"shot\"/><br/>there</p>", "see ![shot](https://x/y.png)\nthere");
    check(
        "<table><tbody><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></tbody></table>",
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
    );
}

#[test]
fn custom_fields_of_a_table_are_kept() {
    let mut test = TestProject::new();
    let table = "Issue key,Summary,Custom field (Customer),Custom field (Customer),Custom field (Rank),Custom field (Development),Environment,Affects Version/s,Votes,Watchers,Outward issue link (Causes),Inward issue link (Relates),Project name\n\
        A-1,a,Acme,Zed,0|i0000f:,{},Safari,1.9,2,bob,A-2,A-2,Shop\nA-2,b,,,0|i0000f:,,,,0,,,,Shop\n";
    let view = test.import(Jira, table);
    test.check(
        "A-1",
        &json!({"extra": {"Customer": "Acme, Zed", "environment": "Safari", "affects_versions": "1.9"}, "relates": ["b"]}),
    );
    let left: Vec<_> = view.left_out.iter().map(|one| (one.what.as_str(), one.count)).collect();
    assert_eq!(left, [("column `Watchers`", 1), ("votes", 1)]);
    test.import_changes_nothing(Jira, table);
}

#[test]
fn new_names_of_columns_are_read() {
    let mut test = TestProject::new();
    let table =
        "Work type,Work item key,Work item ID,Summary,Parent,Status\nEpic,A-1,11,All,,Open\nBug,A-2,12,Part,11,Open\n";
    test.import(Jira, table);
    test.check("A-1", &json!({"kind": "epic"}));
    test.check("A-2", &json!({"type": "Bug", "parent": "All"}));
}

#[test]
fn months_of_other_languages_are_read() {
    for date in [
        "15/Mär/24 9:00 AM",
        "15/Mrz/24 9:00 AM",
        "15/mars/24 9:00 AM",
        "15/März/24 09:00",
        "15.03.2024 09:00",
        "15/mrt/24 9:00 AM",
        "15-03-2024 09:00",
    ] {
        let mut test = TestProject::new();
        test.import(Jira, &format!("Issue key,Summary,Created\nA-1,x,{date}\n"));
        test.check("A-1", &json!({"created": "2024-03-15T09:00:00Z"}));
    }
    for (date, day) in [
        ("15/Mai/24", "2024-05-15"),
        ("15/Dez/24", "2024-12-15"),
        ("15/août/24", "2024-08-15"),
        ("15/juil./24", "2024-07-15"),
        ("15/okt/24", "2024-10-15"),
    ] {
        let mut test = TestProject::new();
        test.import(Jira, &format!("Issue key,Summary,Due date\nA-1,x,{date}\n"));
        test.check("A-1", &json!({"due": day}));
    }
}

#[test]
fn order_of_day_and_month_can_be_given() {
    let table = "Issue key,Summary,Created,Due date\nA-1,x,03/04/2024 10:00,03/04/2024\n";
    let import = |order: Option<DateOrder>| {
        let mut test = TestProject::new();
        let read = ReadOptions { dates: order, ..ReadOptions::default() };
        let options = ImportOptions { read, ..ImportOptions::default() };
        test.import_with(Jira, table, &options).map(|_| test.show("A-1"))
    };
    let due = |order| import(Some(order)).unwrap().due.unwrap().to_string();
    assert_eq!(due(DateOrder::DayFirst), "2024-04-03");
    assert_eq!(due(DateOrder::MonthFirst), "2024-03-04");
    assert_eq!(import(Some(DateOrder::DayFirst)).unwrap().created.to_string(), "2024-04-03T10:00:00Z");
    let error = import(None).unwrap_err();
    assert!(error.message.contains("ambiguous date `03/04/2024 10:00`"), "{}", error.message);
    assert_eq!(error.hint.unwrap(), "`--dates day-first` or `--dates month-first` says how to read all of them");
}
