//! The table of supported clients.

use super::folders::Base::{Apps, Config, Home};
use super::{Advice, Client, Files, Shape, Syntax};

const fn only<T>(file: T) -> Files<T> {
    Files { preferred: &[], otherwise: file }
}

/// Linux builds use a folder with a capital letter, contrary to some documentation.
const DESKTOP: Files<(super::Base, &str)> = if cfg!(any(windows, target_os = "macos")) {
    only((Apps, "Claude/claude_desktop_config.json"))
} else {
    Files {
        preferred: &[(Apps, "Claude/claude_desktop_config.json")],
        otherwise: (Apps, "claude/claude_desktop_config.json"),
    }
};

const ZED: (super::Base, &str) =
    if cfg!(windows) { (Apps, "Zed/settings.json") } else { (Config, "zed/settings.json") };

/// In the order of detection; the first is the default.
pub(crate) const CLIENTS: &[Client] = &[
    Client {
        name: "claude-code",
        title: "Claude Code",
        project: Some(only(".mcp.json")),
        user: only((Home, ".claude.json")),
        traces: &[(Home, ".claude"), (Home, ".claude.json")],
        syntax: Syntax::Json,
        container: &["mcpServers"],
        shape: Shape::Plain,
        has_folder: true,
        is_graphical: false,
        needs_underscores: false,
        advice: Advice::InProject("Claude Code asks for your approval when it next starts in the project"),
    },
    Client {
        name: "claude-desktop",
        title: "Claude Desktop",
        project: None,
        user: DESKTOP,
        traces: &[],
        syntax: Syntax::Json,
        container: &["mcpServers"],
        shape: Shape::Plain,
        has_folder: true,
        is_graphical: true,
        needs_underscores: true,
        advice: Advice::Always("quit Claude Desktop and start it again"),
    },
    Client {
        name: "cursor",
        title: "Cursor",
        project: Some(only(".cursor/mcp.json")),
        user: only((Home, ".cursor/mcp.json")),
        traces: &[],
        syntax: Syntax::Json,
        container: &["mcpServers"],
        shape: Shape::Plain,
        has_folder: false,
        is_graphical: true,
        needs_underscores: true,
        advice: Advice::None,
    },
    Client {
        name: "vscode",
        title: "VS Code",
        project: Some(only(".vscode/mcp.json")),
        user: only((Apps, "Code/User/mcp.json")),
        traces: &[],
        syntax: Syntax::Json,
        container: &["servers"],
        shape: Shape::Typed,
        has_folder: true,
        is_graphical: true,
        needs_underscores: false,
        advice: Advice::None,
    },
    Client {
        name: "copilot",
        title: "Copilot CLI",
        project: Some(only(".github/mcp.json")),
        user: only((Home, ".copilot/mcp-config.json")),
        traces: &[],
        syntax: Syntax::Json,
        container: &["mcpServers"],
        shape: Shape::Copilot,
        has_folder: false,
        is_graphical: false,
        needs_underscores: true,
        advice: Advice::None,
    },
    Client {
        name: "windsurf",
        title: "Windsurf",
        project: None,
        user: only((Home, ".codeium/windsurf/mcp_config.json")),
        traces: &[],
        syntax: Syntax::Json,
        container: &["mcpServers"],
        shape: Shape::Plain,
        has_folder: false,
        is_graphical: true,
        needs_underscores: true,
        advice: Advice::None,
    },
    Client {
        name: "zed",
        title: "Zed",
        project: None,
        user: only(ZED),
        traces: &[],
        syntax: Syntax::Json,
        container: &["context_servers"],
        shape: Shape::Plain,
        has_folder: false,
        is_graphical: true,
        needs_underscores: false,
        advice: Advice::None,
    },
    Client {
        name: "codex",
        title: "Codex",
        project: Some(only(".codex/config.toml")),
        user: only((Home, ".codex/config.toml")),
        traces: &[],
        syntax: Syntax::Toml,
        container: &["mcp_servers"],
        shape: Shape::Plain,
        has_folder: true,
        is_graphical: false,
        needs_underscores: false,
        advice: Advice::InProject("Codex reads a project's settings once you trust the project"),
    },
    Client {
        name: "gemini",
        title: "Gemini CLI",
        project: Some(only(".gemini/settings.json")),
        user: only((Home, ".gemini/settings.json")),
        traces: &[],
        syntax: Syntax::Json,
        container: &["mcpServers"],
        shape: Shape::Plain,
        has_folder: true,
        is_graphical: false,
        needs_underscores: false,
        advice: Advice::None,
    },
    Client {
        name: "opencode",
        title: "opencode",
        project: Some(Files { preferred: &[".opencode/opencode.json", "opencode.jsonc"], otherwise: "opencode.json" }),
        user: Files {
            preferred: &[(Config, "opencode/opencode.jsonc")],
            otherwise: (Config, "opencode/opencode.json"),
        },
        traces: &[],
        syntax: Syntax::Json,
        container: &["mcp"],
        shape: Shape::OpenCode,
        has_folder: false,
        is_graphical: false,
        needs_underscores: false,
        advice: Advice::None,
    },
    Client {
        name: "jetbrains",
        title: "JetBrains Junie",
        project: Some(only(".junie/mcp/mcp.json")),
        user: only((Home, ".junie/mcp/mcp.json")),
        traces: &[(Home, ".junie")],
        syntax: Syntax::Json,
        container: &["mcpServers"],
        shape: Shape::Plain,
        has_folder: false,
        is_graphical: true,
        needs_underscores: true,
        advice: Advice::Always(
            "for AI Assistant, paste the content of that file under Settings, Tools, AI Assistant, Model Context Protocol (MCP)",
        ),
    },
];
