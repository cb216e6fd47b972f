//! Keeps the number of loose objects down. Git packs them after its own commands; our writes bypass those, so we start
//! its maintenance from time to time. Nothing here blocks, fails a write or overrides the person's settings.

use std::fs;
use std::thread;

use super::Repository;

/// Git's default for `gc.auto`.
const DEFAULT_THRESHOLD: i64 = 6700;

impl Repository {
    /// Starts `git maintenance run --auto` in the background if git would find work to do.
    ///
    /// Uses git's own estimate: ids are evenly distributed, so one of the 256 directories tells how many objects there
    /// are.
    pub fn maintain(&self) {
        let Ok(settings) = self.settings() else {
            return;
        };
        let threshold = settings.integer("gc.auto", DEFAULT_THRESHOLD);
        let is_wanted = threshold > 0 && settings.boolean("maintenance.auto", true);
        if is_wanted && self.loose_objects_in_sample() > (threshold + 255) / 256 {
            self.start_maintenance();
        }
    }

    fn loose_objects_in_sample(&self) -> i64 {
        let Ok(entries) = fs::read_dir(self.objects_dir().join("17")) else {
            return 0;
        };
        i64::try_from(entries.count()).unwrap_or(i64::MAX)
    }

    fn start_maintenance(&self) {
        let mut command = self.git_as_person();
        command.args(["maintenance", "run", "--auto", "--quiet"]);
        // If git cannot be started, the next write tries again.
        if let Ok(mut child) = command.spawn_detached() {
            thread::spawn(move || child.wait());
        }
    }
}
