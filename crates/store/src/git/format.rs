//! The format of a repository, from its own configuration. Unknown formats are refused: references written into a store
//! that git does not read would be lost silently.

use std::path::Path;

use super::GitError;
use super::gix;
use super::repository::RefStorage;
use super::sharing::Sharing;

/// Extensions that make no difference here, or that are handled below.
const KNOWN_EXTENSIONS: [&str; 9] = [
    "compatobjectformat",
    "noop",
    "noop-v1",
    "objectformat",
    "partialclone",
    "preciousobjects",
    "refstorage",
    "relativeworktrees",
    "worktreeconfig",
];

/// The format of a repository.
#[derive(Debug, Clone)]
pub(super) struct Format {
    pub(super) hash: gix::hash::Kind,
    pub(super) ref_storage: RefStorage,
    pub(super) sharing: Sharing,
    pub(super) is_bare: Option<bool>,
    pub(super) work_tree: Option<String>,
}

impl Format {
    /// Reads the configuration in the common directory.
    pub(super) fn read(common_dir: &Path) -> Result<Self, GitError> {
        let path = common_dir.join("config");
        // A configuration that cannot be examined is not an absent one: it may say that references are stored
        // elsewhere.
        let exists = path.try_exists().map_err(|source| GitError::reading(&path, source))?;
        let config = if exists {
            gix::config::File::from_path_no_includes(path.clone(), gix::config::Source::Local)
                .map_err(|source| GitError::broken(&path, source.to_string()))?
        } else {
            gix::config::File::default()
        };
        let text = |key: &str| config.string(key).map(|value| value.to_string());
        let version = check_version(common_dir, &config)?;
        // Version 0 predates both keys: git ignores one and refuses the other.
        let extension = |key: &str| if version == 0 { None } else { text(key) };
        let format = Self {
            hash: hash(common_dir, extension("extensions.objectFormat").as_deref())?,
            ref_storage: ref_storage(common_dir, extension("extensions.refStorage").as_deref())?,
            sharing: Sharing::parse(text("core.sharedRepository").as_deref()),
            is_bare: config.boolean("core.bare").ok().flatten(),
            work_tree: text("core.worktree"),
        };
        Ok(format)
    }
}

fn check_version(common_dir: &Path, config: &gix::config::File) -> Result<i64, GitError> {
    let unsupported = |what| GitError::Unsupported { path: common_dir.to_owned(), what };
    let version = config.integer("core.repositoryFormatVersion");
    let version = version.map_err(|source| GitError::broken(&common_dir.join("config"), source.to_string()))?;
    let version = version.unwrap_or(0);
    if !(0..=1).contains(&version) {
        return Err(unsupported(format!("repository format version {version}")));
    }
    if version == 0 {
        return Ok(version);
    }
    for section in config.sections_by_name("extensions").into_iter().flatten() {
        for name in section.value_names() {
            let name = name.to_ascii_lowercase();
            if !KNOWN_EXTENSIONS.contains(&name.as_str()) {
                return Err(unsupported(format!("the extension `{name}`")));
            }
        }
    }
    Ok(version)
}

fn hash(common_dir: &Path, value: Option<&str>) -> Result<gix::hash::Kind, GitError> {
    match value {
        None | Some("sha1") => Ok(gix::hash::Kind::Sha1),
        Some("sha256") => Ok(gix::hash::Kind::Sha256),
        Some(other) => {
            Err(GitError::Unsupported { path: common_dir.to_owned(), what: format!("the object format `{other}`") })
        }
    }
}

fn ref_storage(common_dir: &Path, value: Option<&str>) -> Result<RefStorage, GitError> {
    match value {
        None | Some("files") => Ok(RefStorage::Files),
        Some("reftable") => Ok(RefStorage::Reftable),
        Some(other) => {
            Err(GitError::Unsupported { path: common_dir.to_owned(), what: format!("the ref storage `{other}`") })
        }
    }
}
