//! Templates for new items: Markdown files in `.cairn/templates` of the work tree, or texts in the log. A file takes
//! precedence over a text of the same name.

use std::path::{Path, PathBuf};

use model::text::{BODY_LIMIT, check_body};

use crate::error::Error;
use crate::project::{Project, WritePlan};
use crate::shared_entry::EntryKind;
use crate::view::TemplateView;

/// The folder of templates in the work tree.
const TEMPLATE_FOLDER: &str = ".cairn/templates";

const TEMPLATES: EntryKind = EntryKind { kind: "template", field: "text", command: "cairn template" };

impl Project {
    /// Returns all templates, by name.
    pub fn templates(&self) -> Result<Vec<TemplateView>, Error> {
        let mut templates = Vec::new();
        for (name, path) in self.template_files()? {
            templates.push(TemplateView { text: read_template(&path)?, name, path: Some(display_path(&path)) });
        }
        for entry in TEMPLATES.all(self.index())? {
            // Names ignore case, as file systems may.
            let is_hidden = templates.iter().any(|known| known.name.eq_ignore_ascii_case(&entry.name));
            if !is_hidden {
                let text = entry.value.as_str().unwrap_or_default().to_owned();
                templates.push(TemplateView { name: entry.name, path: None, text });
            }
        }
        templates.sort_by_key(|template| template.name.to_lowercase());
        Ok(templates)
    }

    /// Finds a template.
    pub fn template(&self, name: &str) -> Result<TemplateView, Error> {
        let templates = self.templates()?;
        let found = templates.iter().find(|template| template.name.eq_ignore_ascii_case(name.trim()));
        let missing = || TEMPLATES.not_found(name, templates.iter().map(|template| template.name.as_str()));
        found.cloned().ok_or_else(missing)
    }

    /// Saves a template in the log, in place of an earlier one, and returns it.
    pub fn save_template(&mut self, name: &str, text: &str) -> Result<TemplateView, Error> {
        let name = TEMPLATES.check_name(name)?;
        let text = check_body("template", text)?;
        self.commit(|context| {
            let changes = TEMPLATES.save(context, &name, &text.clone().into())?;
            Ok((WritePlan::new(format!("template `{name}`: save"), changes), ()))
        })?;
        Ok(TemplateView { name, path: None, text })
    }

    /// Removes a template from the log and returns it.
    pub fn remove_template(&mut self, name: &str) -> Result<TemplateView, Error> {
        let files = self.template_files()?;
        self.commit(|context| {
            let Some(entry) = TEMPLATES.try_find(context.index, name)? else {
                let is_file = files.iter().any(|(file, _)| file.eq_ignore_ascii_case(name.trim()));
                let missing = TEMPLATES.not_found(name, []);
                let hint = format!("`{name}` is a file in `{TEMPLATE_FOLDER}`; remove it with git");
                return Err(if is_file { missing.hint(hint) } else { missing });
            };
            let plan = WritePlan::new(format!("template `{}`: remove", entry.name), [TEMPLATES.remove(&entry)]);
            let text = entry.value.as_str().unwrap_or_default().to_owned();
            Ok((plan, TemplateView { name: entry.name, path: None, text }))
        })
    }

    /// Returns the templates that are files, each with its name. Links are not followed: they may lead anywhere.
    fn template_files(&self) -> Result<Vec<(String, PathBuf)>, Error> {
        let Some(root) = self.store.repository().workdir() else { return Ok(Vec::new()) };
        let folder = root.join(TEMPLATE_FOLDER);
        let is_inside = [root.join(".cairn"), folder.clone()].iter().all(|path| is_real_folder(path));
        if !is_inside {
            return Ok(Vec::new());
        }
        let entries = std::fs::read_dir(&folder)
            .map_err(|error| Error::unavailable(format!("cannot read `{TEMPLATE_FOLDER}`: {error}")))?;
        let is_file = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
        let named = |entry: std::fs::DirEntry| {
            let path = entry.path();
            let is_markdown = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
            let name = path.file_stem()?.to_str()?.to_owned();
            is_markdown.then_some((name, path))
        };
        Ok(entries.filter_map(Result::ok).filter(is_file).filter_map(named).collect())
    }
}

fn is_real_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
}

fn read_template(path: &Path) -> Result<String, Error> {
    let failed = |why: String| Error::unavailable(format!("cannot read `{}`: {why}", display_path(path)));
    let size = path.metadata().map_err(|error| failed(error.to_string()))?.len();
    if size > BODY_LIMIT as u64 {
        return Err(failed(format!("it has {size} bytes, more than {BODY_LIMIT}")));
    }
    std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))
}

fn display_path(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    format!("{TEMPLATE_FOLDER}/{name}")
}
