//! TLS on a test server. Connections without it are accepted too, so that a test sees which one a client chose.

use std::io::Write as _;
use std::process::Stdio;

use super::Postgres;
use crate::certificates::Certificate;

impl Postgres {
    /// Offers TLS with a certificate from now on.
    pub fn offer_tls(&self, certificate: Certificate) {
        self.write_private("server.crt", certificate.chain);
        self.write_private("server.key", certificate.key);
        self.sql("postgres", "ALTER SYSTEM SET ssl = on");
        self.sql("postgres", "SELECT pg_reload_conf()");
        // The reload is asynchronous, and a failure is only in the log.
        while self.sql("postgres", "SHOW ssl") != "on" {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }

    /// Writes a file that only the user of the server can read, or the server refuses it.
    fn write_private(&self, name: &str, text: &str) {
        let mut shell = self.programs.command("sh");
        shell.args(["-c", r#"umask 077 && cat >"$1""#, "sh"]).arg(self.directory.join("data").join(name));
        let mut shell = shell.stdin(Stdio::piped()).spawn().expect("a shell");
        shell.stdin.take().expect("it was asked for").write_all(text.as_bytes()).expect("it reads");
        assert!(shell.wait().is_ok_and(|status| status.success()), "cannot write `{name}`");
    }
}
