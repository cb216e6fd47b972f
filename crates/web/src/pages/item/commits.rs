//! The commits of an item: linked ones, and those whose messages name it.

use app::view::{CommitRelation, CommitState, CommitView, ItemView};
use maud::{Markup, html};

use crate::pages::frame::PageContext;
use crate::pages::icons::icon;
use crate::pages::words;

/// Maximum number of commits, the newest.
const MAX_COMMITS: usize = 20;
/// Digits of an id that are shown, as git does.
const SHORT: usize = 8;

/// Renders the commits; nothing without any.
pub(super) fn section(look: &PageContext, item: &ItemView) -> Markup {
    let commits = item.commits.as_deref().unwrap_or_default();
    if commits.is_empty() {
        return html! {};
    }
    html! {
        section class="section" aria-labelledby="commits" {
            header { h2 id="commits" { "Commits" } span class="count" { (commits.len()) } }
            ul { @for commit in commits.iter().take(MAX_COMMITS) { (line(look, commit)) } }
            @if commits.len() > MAX_COMMITS { p class="quiet" { (commits.len() - MAX_COMMITS) " older commits" } }
        }
    }
}

fn line(look: &PageContext, commit: &CommitView) -> Markup {
    html! {
        li class="line commit" {
            (icon("commit"))
            code class="number" title=(commit.id) { (commit.id.get(..SHORT).unwrap_or(&commit.id)) }
            span class="title truncate" { @if commit.subject.is_empty() { span class="quiet" { "not in this clone" } } @else { (commit.subject) } }
            @if commit.relation == CommitRelation::Closes { span class="tag good" { "closes" } }
            @match commit.state {
                CommitState::Merged => {}
                CommitState::Branch => span class="tag" { "on a branch" },
                CommitState::Gone => span class="tag warning" { "on no branch" },
            }
            span class="meta" { (words::name(&commit.author)) }
            @if let Some(at) = commit.at { (words::ago(look.now, at)) }
        }
    }
}
