//! The parts of gitoxide that are used, under the names that the crate `gix` gives them. That crate is not a dependency:
//! it would add those for remotes, diffs, revisions and attributes, which the `git` program does here.

pub(super) use gix_config as config;
pub(super) use gix_date as date;
pub(super) use gix_error as error;
pub(super) use gix_error::Error;
pub(super) use gix_hash as hash;
pub(super) use gix_hash::{ObjectId, oid};
pub(super) use gix_object as objs;
pub(super) use gix_odb as odb;
pub(super) use gix_path as path;
pub(super) use gix_ref as refs;
pub(super) use gix_sec as sec;
pub(super) use gix_validate as validate;
pub(super) use gix_zlib as zlib;
