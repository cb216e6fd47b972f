//! Body size and time limits for pages and API; the MCP endpoints have their own.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use mcp::http::discard;

use super::refusal::Refusal;

/// Maximum length of a body, in bytes; the same as for the MCP endpoints.
const MAX_BODY: usize = 4 * 1024 * 1024;

/// Maximum length of an uploaded file: that of an attachment.
#[expect(clippy::cast_possible_truncation, reason = "ten mebibytes")]
const MAX_UPLOAD: usize = model::attachment::MAX_BYTES as usize;

/// How long a client may take to send a body, so that a slow client cannot hold a connection forever.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a handler may take until its response begins.
const WORK_TIMEOUT: Duration = Duration::from_mins(2);

/// Reads the whole body before the handler runs, and applies the timeouts.
pub(super) async fn limit(request: Request, next: Next) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let refuse = |refusal: Refusal| refusal.answer(&method, &path);
    let max_body = if is_upload(&method, &path) { MAX_UPLOAD } else { MAX_BODY };
    let (parts, body) = request.into_parts();
    // A declared length over the limit is refused before the body is read.
    if http_body::Body::size_hint(&body).lower() > max_body as u64 {
        discard(body);
        return refuse(Refusal::TooLong);
    }
    let bytes = match tokio::time::timeout(READ_TIMEOUT, to_bytes(body, max_body)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => return refuse(Refusal::TooLong),
        Err(_) => return refuse(Refusal::TooSlow),
    };
    let answer = next.run(Request::from_parts(parts, Body::from(bytes)));
    let too_long = if method.is_safe() { Refusal::TooBusy } else { Refusal::Unfinished };
    tokio::time::timeout(WORK_TIMEOUT, answer).await.unwrap_or_else(|_| refuse(too_long))
}

fn is_upload(method: &Method, path: &str) -> bool {
    method == Method::POST && path.starts_with("/api/items/") && path.ends_with("/attachments")
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::middleware::from_fn;
    use axum::routing::post;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    async fn answer(request: &str) -> String {
        let routes = Router::new().route("/api/echo", post(async |body: String| body));
        let never = post(std::future::pending::<String>).get(std::future::pending::<String>);
        let routes = routes.route("/api/never", never).layer(from_fn(limit));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it has one");
        tokio::spawn(async move { axum::serve(listener, routes).await });
        let mut stream = TcpStream::connect(address).await.expect("it listens");
        stream.write_all(request.as_bytes()).await.expect("it reads");
        let mut answer = vec![0; 64];
        let n = stream.read(&mut answer).await.expect("it answers");
        String::from_utf8_lossy(&answer[..n]).into_owned()
    }

    #[tokio::test(start_paused = true)]
    async fn slow_client_times_out() {
        let request = |path: &str, body: &str| {
            format!("POST /api/{path} HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\n{body}")
        };
        assert!(answer(&request("echo", "body")).await.starts_with("HTTP/1.1 200"));
        assert!(answer(&request("echo", "bo")).await.starts_with("HTTP/1.1 408"));
        // A change goes on: a client that repeats it may make it twice.
        assert!(answer(&request("never", "body")).await.starts_with("HTTP/1.1 500"));
        assert!(answer(&request("never", "body").replace("POST", "GET")).await.starts_with("HTTP/1.1 503"));
        let started = tokio::time::Instant::now();
        let huge = request("echo", "").replace("Content-Length: 4", "Content-Length: 99999999999");
        assert!(answer(&huge).await.starts_with("HTTP/1.1 413"));
        assert!(started.elapsed() < Duration::from_secs(1));
    }
}
