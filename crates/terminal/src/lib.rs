//! Text for terminals: cut and wrapped by display width, and Markdown as styled lines.
//!
//! It prints nothing and knows no terminal: the command line writes the lines with escape sequences, the terminal
//! interface draws them into its cells. Texts from the log are escaped, so that no text can move the cursor.

mod cut;
pub mod markdown;
mod styled;

use anstyle::Style;

pub use cut::cut;
pub use styled::{StyledLine, wrap};

/// Dimmed, for secondary information.
pub const FAINT: Style = Style::new().dimmed();
/// For headings and numbers.
pub const STRONG: Style = Style::new().bold();
