//! A change of a value that can be absent: keep it, clear it, or set it.

/// What to do with a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// Leave it as it is.
    #[default]
    Keep,
    /// Remove it.
    Clear,
    /// Set it to this.
    Set(T),
}

impl<T> Patch<T> {
    /// Returns the value to set, if there is one.
    pub fn value(self) -> Option<T> {
        if let Self::Set(value) = self { Some(value) } else { None }
    }
}
