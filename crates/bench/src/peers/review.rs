//! A review session as tuicr saves it, since only its terminal interface begins one.

use std::fs;
use std::path::Path;

use super::super::measure::read;
use super::super::scratch::Repository;
use super::items::json;
use super::work::FILE;

/// Writes an empty review of the last commit to `session.json` in a folder.
pub(crate) fn write_session(repository: &Path, folder: &Path) -> Result<(), String> {
    let head = read(&mut Repository(repository.to_path_buf()).git(&["rev-parse", "HEAD"]))?;
    let text = session(&repository.display().to_string(), &head);
    fs::write(folder.join("session.json"), text).map_err(|error| format!("cannot write the review session: {error}"))
}

fn session(repository: &str, head: &str) -> String {
    let at = "2026-11-01T09:00:00Z";
    format!(
        r#"{{"id":"6c6f6769-6e00-4000-8000-000000000001","version":"1.3","repo_path":{},"branch_name":"main","base_commit":"{head}","diff_source":"working_tree","created_at":"{at}","updated_at":"{at}","review_comments":[],"files":{{"{FILE}":{{"path":"{FILE}","reviewed":false,"status":"modified","file_comments":[],"line_comments":{{}},"reviewed_hunks":[],"content_hash":null}}}},"session_notes":null}}"#,
        json(repository),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_names_the_repository_and_the_file() {
        let text = session("/tmp/a \"b\"", "abc");
        insta::assert_snapshot!(testkit::redact(&text), @r#"{"id":"<id>","version":"1.3","repo_path":"/tmp/a \"b\"","branch_name":"main","base_commit":"abc","diff_source":"working_tree","created_at":"<moment>","updated_at":"<moment>","review_comments":[],"files":{"src/work.rs":{"path":"src/work.rs","reviewed":false,"status":"modified","file_comments":[],"line_comments":{},"reviewed_hunks":[],"content_hash":null}},"session_notes":null}"#);
    }
}
