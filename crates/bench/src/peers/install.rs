//! Finds or installs the programs.

use std::path::Path;

use xtask::program;
use xtask::tools::peer;

use super::super::measure::read;
use super::subject::{Installed, Source, Subject};

/// Returns the program of a peer, or why there is none.
pub(crate) fn find_or_install(root: &Path, subject: &Subject) -> Result<Installed, String> {
    match &subject.source {
        Source::Built => built(&program::build_release(root)?),
        Source::Published(published) => {
            let program = published.find_or_install(root)?;
            Ok(Installed { program, version: published.version.to_owned() })
        }
        Source::OnPath(name) => {
            let (program, answer) = peer::on_path(name)?;
            Ok(Installed { program, version: version_in(&answer) })
        }
    }
}

/// Returns Cairn with the version that it prints.
pub(crate) fn built(program: &Path) -> Result<Installed, String> {
    let answer = read(std::process::Command::new(program).arg("--version"))?;
    Ok(Installed { program: program.to_path_buf(), version: version_in(&answer) })
}

fn version_in(answer: &str) -> String {
    answer.split_whitespace().nth(1).unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_second_word() {
        assert_eq!(version_in("git-mile 0.1.0\n"), "0.1.0");
        assert_eq!(version_in(""), "unknown");
    }
}
