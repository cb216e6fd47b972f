//! HTTP for people and programs: the board, the JSON API, live updates, and the dialects behind one door.
