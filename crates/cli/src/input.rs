//! Text from files and stdin. It must be UTF-8; anything else is rejected.

use std::io::{IsTerminal, Read};
use std::path::Path;

use app::Error;

/// Reads a file, or stdin for `-`.
pub(crate) fn read_file(path: &Path) -> Result<String, Error> {
    if path == Path::new("-") {
        return read_pipe();
    }
    let bytes =
        std::fs::read(path).map_err(|error| Error::invalid(format!("cannot read `{}`: {error}", path.display())))?;
    text(bytes, &path.display().to_string())
}

/// Reads all of standard input.
pub(crate) fn read_pipe() -> Result<String, Error> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| Error::invalid(format!("cannot read standard input: {error}")))?;
    text(bytes, "standard input")
}

/// Asks for a line on the terminal and returns it without its line break; empty at the end of input.
pub(crate) fn ask(question: &str) -> Result<String, Error> {
    let failed = |error: std::io::Error| Error::unavailable(format!("cannot ask on the terminal: {error}"));
    crate::output::prompt(question).map_err(failed)?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).map_err(failed)?;
    Ok(line.trim_end_matches(['\n', '\r']).to_owned())
}

/// Returns whether a person can be asked: stdin and stderr are terminals.
pub(crate) fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Returns whether stdin is a pipe or a file.
pub(crate) fn is_piped() -> bool {
    !std::io::stdin().is_terminal()
}

fn text(bytes: Vec<u8>, name: &str) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::invalid(format!("`{name}` is not UTF-8 text (byte {at} is not)"))
    })
}
