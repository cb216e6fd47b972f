//! Builds the tree of a commit from paths and bytes. It refuses every path that `git fsck` would report.

use std::collections::BTreeMap;

use gix::objs::tree::{Entry, EntryKind};
use gix::objs::{Kind, Tree, WriteTo};

use super::gix;
use super::{GitError, ObjectId, Repository};

enum Node<'a> {
    File(&'a [u8]),
    /// A file whose content is in the repository already.
    Blob(gix::ObjectId),
    Folder(BTreeMap<&'a str, Node<'a>>),
}

impl Repository {
    /// Writes the files as a tree, durably, and returns its id; without files it is the empty tree.
    pub(super) fn write_tree(&self, files: &[(&str, &[u8])]) -> Result<gix::ObjectId, GitError> {
        self.write_nodes(files.iter().map(|(path, bytes)| (*path, Node::File(bytes))))
    }

    /// Writes a tree of files and of blobs that are in the repository already.
    pub(crate) fn write_tree_with(
        &self,
        files: &[(&str, &[u8])],
        blobs: &BTreeMap<String, ObjectId>,
    ) -> Result<ObjectId, GitError> {
        let files = files.iter().map(|(path, bytes)| (*path, Node::File(bytes)));
        let blobs = blobs.iter().map(|(path, id)| (path.as_str(), Node::Blob(id.0)));
        self.write_nodes(files.chain(blobs)).map(ObjectId)
    }

    fn write_nodes<'a>(&self, nodes: impl Iterator<Item = (&'a str, Node<'a>)>) -> Result<gix::ObjectId, GitError> {
        let mut root = BTreeMap::new();
        for (path, node) in nodes {
            insert(&mut root, path, node).map_err(|why| GitError::BadCommit { why: format!("`{path}` {why}") })?;
        }
        self.write_folder(&root)
    }

    fn write_folder(&self, folder: &BTreeMap<&str, Node<'_>>) -> Result<gix::ObjectId, GitError> {
        let mut entries = Vec::with_capacity(folder.len());
        for (name, node) in folder {
            let (kind, oid) = match node {
                Node::File(bytes) => (EntryKind::Blob, self.write_object(Kind::Blob, bytes)?),
                Node::Blob(id) => (EntryKind::Blob, *id),
                Node::Folder(inner) => (EntryKind::Tree, self.write_folder(inner)?),
            };
            entries.push(Entry { mode: kind.into(), filename: (*name).into(), oid });
        }
        // Git sorts folders as if their names ended in a slash.
        entries.sort();
        let mut bytes = Vec::new();
        Tree { entries }.write_to(&mut bytes).map_err(|error| GitError::BadCommit { why: error.to_string() })?;
        self.write_object(Kind::Tree, &bytes)
    }
}

fn insert<'a>(folder: &mut BTreeMap<&'a str, Node<'a>>, path: &'a str, node: Node<'a>) -> Result<(), &'static str> {
    let (name, rest) = match path.split_once('/') {
        Some((name, rest)) => (name, Some(rest)),
        None => (path, None),
    };
    let is_reserved = matches!(name, "" | "." | "..") || name.eq_ignore_ascii_case(".git");
    if is_reserved || name.contains(['\0', '\\', ':']) {
        return Err("is not a path git accepts");
    }
    let Some(rest) = rest else {
        return match folder.insert(name, node) {
            None => Ok(()),
            Some(_) => Err("is there twice"),
        };
    };
    match folder.entry(name).or_insert_with(|| Node::Folder(BTreeMap::new())) {
        Node::Folder(inner) => insert(inner, rest, node),
        Node::File(_) | Node::Blob(_) => Err("is below a file"),
    }
}
