//! A server that cannot prove who it is gets nothing.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use taiga::{Client, Credentials, ErrorKind, Secret, Settings};

#[test]
fn certificate_that_nobody_vouches_for_is_refused_and_the_token_is_not_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let heard = std::thread::spawn(move || {
        let (connection, _) = listener.accept().unwrap();
        let mut stream = StreamOwned::new(ServerConnection::new(Arc::new(config())).unwrap(), connection);
        let mut heard = Vec::new();
        let failed = stream.read_to_end(&mut heard).is_err();
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
        (failed, heard)
    });
    let client =
        Client::new(&Settings::new(address.parse().unwrap()), Credentials::Bearer(Secret::new("sesame"))).unwrap();
    let error = client.me().unwrap_err();
    assert_eq!((&error.kind, error.status), (&ErrorKind::Network, None), "{error}");
    assert!(error.message.contains("cannot be trusted"), "{error}");
    assert_eq!(heard.join().unwrap(), (true, Vec::new()), "and it is not tried again");
}

fn config() -> ServerConfig {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    builder.with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key).unwrap()
}
