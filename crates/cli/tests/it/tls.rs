//! TLS connections.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use testkit::certificates::{SELF_SIGNED, SIGNED};

use crate::served::{Answer, Served, converse, refused};
use crate::support::Project;

const HUSH: &str = "hush-hush-hush-hush";

/// A certificate for `localhost` and `board.example`, in files.
struct Certificate {
    folder: tempfile::TempDir,
    der: CertificateDer<'static>,
}

impl Certificate {
    fn new() -> Self {
        Self::of(SELF_SIGNED)
    }

    fn of(made: testkit::certificates::Certificate) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("chain.pem"), made.chain).unwrap();
        fs::write(folder.path().join("key.pem"), made.key).unwrap();
        Self { folder, der: CertificateDer::from_pem_slice(made.chain.as_bytes()).unwrap() }
    }

    fn path(&self, name: &str) -> String {
        let path: PathBuf = self.folder.path().join(name);
        path.to_str().unwrap().to_owned()
    }

    /// Sends a request as a client that trusts only this certificate.
    fn ask(&self, port: &str, name: &'static str, headers: &[(&str, &str)], method: &str, path: &str) -> Answer {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = config.with_root_certificates(roots).with_no_client_auth();
        let client = ClientConnection::new(Arc::new(config), ServerName::try_from(name).unwrap()).unwrap();
        let stream = StreamOwned::new(client, TcpStream::connect(format!("127.0.0.1:{port}")).unwrap());
        let body = if method == "POST" { "token=hush-hush-hush-hush" } else { "" };
        converse(stream, &format!("{name}:{port}"), method, path, headers, body)
    }
}

#[test]
fn tls_clients_need_to_trust_the_certificate() {
    let project = Project::new();
    let certificate = Certificate::new();
    let (chain, key) = (certificate.path("chain.pem"), certificate.path("key.pem"));
    let options = ["--token", HUSH, "--tls-cert", &chain, "--tls-key", &key, "--host", "board.example"];
    let served = Served::start_at(&project.cairn, "0.0.0.0:0", &options);
    let port = served.authority.rsplit(':').next().unwrap();
    for name in ["localhost", "board.example"] {
        let answer =
            certificate.ask(port, name, &[("Authorization", "Bearer hush-hush-hush-hush")], "GET", "/api/project");
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    assert_eq!(certificate.ask(port, "localhost", &[], "GET", "/api/project").status, 401);
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    let answer = certificate.ask(port, "localhost", &form, "POST", "/login");
    assert!(answer.header("set-cookie").unwrap().ends_with("; secure"), "{answer:?}");
    let strict = |name| {
        let answer = certificate.ask(port, name, &[], "GET", "/login");
        answer.header("strict-transport-security").map(str::to_owned)
    };
    assert_eq!(strict("board.example").as_deref(), Some("max-age=31536000"));
    assert_eq!(strict("localhost"), None, "it would hold for every other server of this machine");
    // A client that does not speak TLS is disconnected, and others are still served.
    let mut plain = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    plain.write_all(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut heard = Vec::new();
    let _ = plain.read_to_end(&mut heard);
    assert!(!heard.starts_with(b"HTTP"), "{heard:?}");
    assert_eq!(certificate.ask(port, "localhost", &[], "GET", "/health/live").status, 200);
}

#[test]
fn mistakes_with_certificates_are_named() {
    let project = Project::new();
    let (one, other) = (Certificate::new(), Certificate::of(SIGNED));
    let (chain, key) = (one.path("chain.pem"), one.path("key.pem"));
    let (foreign, missing) = (other.path("key.pem"), one.path("nowhere.pem"));
    let empty = one.path("empty.pem");
    fs::write(&empty, "nothing here\n").unwrap();
    let pairs = [(&missing, &key), (&empty, &key), (&chain, &empty), (&chain, &chain), (&chain, &foreign)];
    let refusals = pairs.map(|(chain, key)| {
        let words = ["serve", "--addr", "127.0.0.1:0", "--tls-cert", chain, "--tls-key", key];
        let (code, error) = refused(&project.cairn, &words);
        assert_eq!(code, Some(2), "{error}");
        testkit::redact(&error)
    });
    insta::assert_snapshot!(refusals.concat(), @"
    error: cannot read a certificate from `<tmp>/nowhere.pem`: I/O error: No such file or directory (os error 2)
    error: cannot read a certificate from `<tmp>/empty.pem`: it holds none
    error: cannot read a private key from `<tmp>/empty.pem`: no items found
    error: cannot read a private key from `<tmp>/chain.pem`: no items found
    error: `<tmp>/chain.pem` and `<tmp>/key.pem` do not match: keys may not be consistent: KeyMismatch
    ");
    let (code, error) = refused(&project.cairn, &["serve", "--addr", "127.0.0.1:0", "--tls-cert", &chain]);
    assert_eq!(code, Some(2), "{error}");
}
