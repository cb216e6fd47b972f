//! Findings as SARIF 2.1.0, for code hosts that show results beside the lines of a pull request.

use annotations::view::{DiffCheckView, FindingKind, FindingView};
use serde_json::{Value, json};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Returns the report. Kinds of `fatal` are errors.
pub(super) fn report(view: &DiffCheckView, fatal: &[FindingKind]) -> Value {
    let rules: Vec<Value> = FindingKind::ALL
        .into_iter()
        .map(|kind| json!({ "id": kind.to_string(), "shortDescription": { "text": about(kind) } }))
        .collect();
    let results: Vec<Value> = view.findings.iter().map(|finding| result(finding, fatal)).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "cairn", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "results": results,
        }],
    })
}

fn result(finding: &FindingView, fatal: &[FindingKind]) -> Value {
    let level = match finding.kind {
        kind if fatal.contains(&kind) => "error",
        FindingKind::Constraint | FindingKind::Stale => "warning",
        _ => "note",
    };
    let anchor = finding.anchor.as_ref().map(|anchor| format!("{anchor}: ")).unwrap_or_default();
    json!({
        "ruleId": finding.kind.to_string(),
        "level": level,
        "message": { "text": format!("{}: {anchor}{}", about(finding.kind), finding.text) },
        "locations": [{
            "physicalLocation": {
                // A result without a line is shown at the top of the file.
                "artifactLocation": { "uri": uri(&finding.file), "uriBaseId": "%SRCROOT%" },
                "region": { "startLine": finding.line.unwrap_or(1) },
            },
        }],
    })
}

fn about(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Constraint => "Must stay true",
        FindingKind::Stale => "Stale annotation",
        FindingKind::Dependent => "Relied on by other code",
        FindingKind::Item => "Open item about this code",
        FindingKind::Remark => "Unresolved review remark",
    }
}

/// Encodes a path as a relative URI.
fn uri(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    path.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_name_rule_level_and_line() {
        let finding = FindingView {
            kind: FindingKind::Constraint,
            file: "src/a b.rs".to_owned(),
            line: Some(3),
            anchor: Some("open".to_owned()),
            text: "lock first".to_owned(),
            commit: None,
            item: None,
            message: None,
        };
        let view = DiffCheckView {
            base: "1".repeat(40),
            tip: None,
            n_files: 1,
            findings: vec![finding],
            warnings: Vec::new(),
        };
        let report = report(&view, &[FindingKind::Constraint]);
        assert_eq!(report["version"], "2.1.0");
        insta::assert_snapshot!(serde_json::to_string_pretty(&report["runs"][0]["results"]).unwrap(), @r#"
        [
          {
            "ruleId": "constraint",
            "level": "error",
            "message": {
              "text": "Must stay true: open: lock first"
            },
            "locations": [
              {
                "physicalLocation": {
                  "artifactLocation": {
                    "uri": "src/a%20b.rs",
                    "uriBaseId": "%SRCROOT%"
                  },
                  "region": {
                    "startLine": 3
                  }
                }
              }
            ]
          }
        ]
        "#);
    }
}
