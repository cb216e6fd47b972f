//! Counts the tokens of responses with the tokenizer of the client tests.

use std::fs;
use std::path::Path;

use xtask::command;
use xtask::scratch::Scratch;
use xtask::tools::node::Node;

const SCRIPT: &str = "tests/clients/count_tokens.mjs";

/// Returns the tokens of each response: of the tools that it defines, or of the text of the result.
pub(crate) fn count(root: &Path, scratch: &Scratch, responses: &[&str]) -> Result<Vec<usize>, String> {
    let node = Node::find_or_install(root)?;
    let packages = node.packages(root, "tests/clients")?;
    let file = scratch.path("responses.jsonl");
    let lines: Vec<&str> = responses.iter().map(|response| response.trim()).collect();
    fs::write(&file, lines.join("\n")).map_err(|error| format!("cannot write the responses: {error}"))?;
    let mut script = node.command("node");
    let output = command::read(script.arg(root.join(SCRIPT)).arg(&file).env("CLIENT_PACKAGES", packages))?;
    parse(&output, responses.len())
}

fn parse(output: &str, n_responses: usize) -> Result<Vec<usize>, String> {
    let numbers: Option<Vec<usize>> = output.lines().map(|line| line.trim().parse().ok()).collect();
    let numbers = numbers.filter(|numbers| numbers.len() == n_responses);
    numbers.ok_or_else(|| format!("the script printed no {n_responses} counts: {output}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_count_per_response_is_expected() {
        assert_eq!(parse("12\n345\n", 2), Ok(vec![12, 345]));
        assert!(parse("12\n", 2).is_err());
        assert!(parse("12\nx\n", 2).is_err());
    }
}
