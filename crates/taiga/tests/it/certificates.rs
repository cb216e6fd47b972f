//! A server with an invalid certificate gets no request.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use taiga::{Client, Credentials, ErrorKind, Secret, Settings};
use testkit::certificates::{AUTHORITY, Certificate, SELF_SIGNED, SIGNED};

/// Replaces the reason that the TLS library gives; it differs between versions.
fn without_reason(message: &str) -> String {
    let (start, rest) = message.split_once(": ").unwrap();
    let (_, advice) = rest.rsplit_once("; ").unwrap();
    format!("{start}: <reason>; {advice}")
}

#[test]
fn untrusted_certificate_is_refused_and_the_token_is_not_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let heard = std::thread::spawn(move || {
        let (connection, _) = listener.accept().unwrap();
        let mut stream = StreamOwned::new(ServerConnection::new(Arc::new(config(SELF_SIGNED))).unwrap(), connection);
        let mut heard = Vec::new();
        let failed = stream.read_to_end(&mut heard).is_err();
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
        (failed, heard)
    });
    let client =
        Client::new(&Settings::new(address.parse().unwrap()), Credentials::Bearer(Secret::new("sesame"))).unwrap();
    let error = client.me().unwrap_err();
    assert_eq!((&error.kind, error.status), (&ErrorKind::Network, None), "{error}");
    insta::assert_snapshot!(without_reason(&error.message), @"the connection to `localhost` cannot be trusted: <reason>; if it is your own, name the authority that signed it in `SSL_CERT_FILE`");
    assert_eq!(heard.join().unwrap(), (true, Vec::new()), "and it is not tried again");
}

#[test]
fn missing_and_invalid_certificates_are_distinguished() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let _ = connection.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        let _ = connection.read_to_end(&mut Vec::new());
    });
    let client =
        Client::new(&Settings::new(address.parse().unwrap()), Credentials::Bearer(Secret::new("sesame"))).unwrap();
    let error = client.me().unwrap_err();
    insta::assert_snapshot!(without_reason(&error.message), @"the connection to `localhost` cannot be trusted: <reason>; does the server speak `https` on this port?");
}

/// The CA is configured by an environment variable, which is process-wide, so this test runs itself in a child process.
#[cfg(target_os = "linux")]
#[test]
fn certificate_of_a_known_authority_is_accepted() {
    const ASKING: &str = "TAIGA_TEST_ASK";
    if let Ok(address) = std::env::var(ASKING) {
        let client =
            Client::new(&Settings::new(address.parse().unwrap()), Credentials::Bearer(Secret::new("sesame"))).unwrap();
        assert_eq!(client.me().unwrap().username, "alice");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("authority.pem");
    std::fs::write(&file, AUTHORITY).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let config = Arc::new(config(SIGNED));
    std::thread::spawn(move || {
        let (connection, _) = listener.accept().unwrap();
        let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), connection);
        let mut heard = [0; 4096];
        let length = stream.read(&mut heard).unwrap();
        assert!(String::from_utf8_lossy(&heard[..length]).contains("Bearer sesame"));
        let body = r#"{"id": 6, "username": "alice"}"#;
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        stream.flush().unwrap();
    });
    let asking = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "certificates::certificate_of_a_known_authority_is_accepted"])
        .env(ASKING, address)
        .env("SSL_CERT_FILE", file)
        .output()
        .unwrap();
    assert!(asking.status.success(), "{}", String::from_utf8_lossy(&asking.stdout));
}

fn config(certificate: Certificate) -> ServerConfig {
    let chain = CertificateDer::from_pem_slice(certificate.chain.as_bytes()).unwrap();
    let key = PrivateKeyDer::from_pem_slice(certificate.key.as_bytes()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    builder.with_no_client_auth().with_single_cert(vec![chain], key).unwrap()
}
