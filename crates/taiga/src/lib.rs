//! A typed client of Taiga's REST interface.
