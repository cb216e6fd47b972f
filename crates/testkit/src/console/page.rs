//! The commands of a Markdown page, with their line numbers.

use super::Outcome;

/// A command with its expected result.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// First line, counted from 1.
    pub(super) line: usize,
    pub(super) command: String,
    pub(super) code: i32,
    pub(super) expected: Vec<String>,
    /// The lines of exit code and output, from 0, which a rewrite replaces.
    answer: std::ops::Range<usize>,
}

/// Parses the commands of all `console` blocks, including those inside HTML comments, which readers do not see.
pub(super) fn parse(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_inside = false;
    let mut is_command = false;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            is_inside = !is_inside && line.trim_end() == "```console";
            continue;
        }
        if !is_inside {
            continue;
        }
        if let Some(command) = line.strip_prefix("$ ") {
            let answer = index + 1..index + 1;
            steps.push(Step { line: index + 1, command: command.into(), code: 0, expected: Vec::new(), answer });
            is_command = true;
            continue;
        }
        let Some(step) = steps.last_mut() else { continue };
        if let Some(more) = line.strip_prefix("> ").filter(|_| is_command) {
            step.command.push('\n');
            step.command.push_str(more);
            step.answer = index + 1..index + 1;
            continue;
        }
        let code = line.strip_prefix("? ").filter(|_| is_command).and_then(|code| code.parse().ok());
        match code {
            Some(code) => step.code = code,
            None => step.expected.push(line.to_owned()),
        }
        step.answer.end = index + 1;
        is_command = false;
    }
    for step in &mut steps {
        while step.expected.last().is_some_and(String::is_empty) {
            step.expected.pop();
            step.answer.end -= 1;
        }
    }
    steps
}

/// Returns the page with differing results replaced by the actual ones.
pub(super) fn rewrite(text: &str, steps: &[Step], outcomes: &[Outcome]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (step, outcome) in steps.iter().zip(outcomes).rev() {
        if !outcome.is_expected(step) {
            let code = (outcome.code != 0).then(|| format!("? {}", outcome.code));
            lines.splice(step.answer.clone(), code.into_iter().chain(outcome.lines.iter().cloned()));
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Page\n```console\n$ one\n> more\n? 2\nsaid\n\n$ two\n```\n```sh\n$ not this\n```\n";

    #[test]
    fn commands_codes_and_answers_are_read() {
        let steps = parse(PAGE);
        assert_eq!(steps.iter().map(|step| step.command.as_str()).collect::<Vec<_>>(), ["one\nmore", "two"]);
        assert_eq!((steps[0].line, steps[0].code, steps[0].expected.join("|")), (3, 2, "said".to_owned()));
        assert_eq!((steps[1].code, steps[1].expected.len()), (0, 0));
    }

    #[test]
    fn only_changed_output_is_rewritten() {
        let steps = parse(PAGE);
        let outcome = |code, line: &str| Outcome { code, lines: vec![line.to_owned()] };
        let rewritten = rewrite(PAGE, &steps, &[outcome(2, "said"), outcome(1, "new")]);
        assert_eq!(rewritten, PAGE.replace("$ two\n", "$ two\n? 1\nnew\n"));
        let rewritten = rewrite(PAGE, &steps, &[outcome(0, "other"), Outcome { code: 0, lines: Vec::new() }]);
        assert_eq!(rewritten, PAGE.replace("? 2\nsaid\n", "other\n"));
    }
}
