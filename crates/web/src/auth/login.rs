//! Login and logout in a browser.

use std::collections::HashMap;

use app::Error;
use axum::Router;
use axum::extract::{Form, Query, Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, LOCATION, RETRY_AFTER, SET_COOKIE};
use axum::http::request::Parts;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;

use super::origin::is_same_origin;
use super::refusal::Refusal;
use super::return_to::ReturnTo;
use super::{Auth, identify};
use crate::pages::{asset_routes, icon, mark, outside};
use crate::problem::RETRY_SECONDS;
use crate::tokens::Fingerprint;
use crate::watch::{Authenticated, Record};

#[derive(Deserialize)]
struct LoginForm {
    token: String,
    #[serde(default)]
    next: String,
}

/// Returns the pages that need no authentication, and the assets that all pages use.
pub(super) fn routes(auth: Auth) -> Router {
    Router::new()
        .route("/login", get(show).post(log_in))
        .route("/logout", post(log_out))
        .with_state(auth)
        .merge(asset_routes())
}

/// Shows the login form, or logs in by a login key.
async fn show(State(auth): State<Auth>, parts: Parts, Query(query): Query<HashMap<String, String>>) -> Response {
    let next = ReturnTo::given(query.get("next").map_or("", String::as_str));
    let Some(key) = query.get("key") else { return page(StatusCode::OK, None, &next) };
    match auth.redeem(key) {
        Some(token) => begin(auth, token, next, &parts).await,
        None => page(
            StatusCode::UNAUTHORIZED,
            Some("This link belongs to an earlier run of the server. Run `cairn board` again, or log in with a token."),
            &next,
        ),
    }
}

async fn log_in(State(auth): State<Auth>, parts: Parts, Form(given): Form<LoginForm>) -> Response {
    let next = ReturnTo::given(&given.next);
    match auth.check(given.token.trim(), &parts) {
        Ok(key) => begin(auth, key.fingerprint, next, &parts).await,
        Err(Refusal::Unknown) => {
            audit(&auth, &parts, "login", "failed");
            page(StatusCode::UNAUTHORIZED, Some("Unknown token."), &next)
        }
        Err(Refusal::TooMany(wait)) => {
            let seconds = wait.as_secs() + 1;
            let text = format!("There were too many wrong tokens. Try again in {seconds} seconds.");
            ([(RETRY_AFTER, seconds.to_string())], page(StatusCode::TOO_MANY_REQUESTS, Some(&text), &next))
                .into_response()
        }
        Err(refusal) => refusal.answer(&parts.method, parts.uri.path()),
    }
}

async fn log_out(State(auth): State<Auth>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let headers = parts.headers.clone();
    if !is_same_origin(&headers) {
        return Refusal::Foreign.answer(&parts.method, parts.uri.path());
    }
    let session = auth.0.sessions.try_find(&headers, app::now());
    let ending = auth.clone();
    let ended = run_blocking(move || ending.0.sessions.end(&headers)).await;
    if let Some(token) = session.filter(|_| ended.is_ok()) {
        recognize(&auth, &parts, &token);
        audit(&auth, &parts, "logout", "done");
    }
    ended.map_or_else(|error| broken(&error), |cookie| go_to("/login".to_owned(), cookie))
}

async fn begin(auth: Auth, token: Fingerprint, next: ReturnTo, parts: &Parts) -> Response {
    let sessions = auth.clone();
    let begun = run_blocking(move || sessions.0.sessions.begin(&token, app::now())).await;
    if begun.is_ok() {
        recognize(&auth, parts, &token);
        audit(&auth, parts, "login", "done");
    }
    begun.map_or_else(|error| broken(&error), |cookie| go_to(next.place(), cookie))
}

/// Records the principal of a token for the audit log.
fn recognize(auth: &Auth, parts: &Parts, token: &Fingerprint) {
    if let Some(key) = auth.0.token_index.try_find(token) {
        identify(parts, &Authenticated { principal: key.principal, token: Some(key.fingerprint) });
    }
}

fn audit(auth: &Auth, parts: &Parts, what: &str, outcome: &'static str) {
    if let Some(record) = parts.extensions.get::<Record>() {
        auth.0.watch.signed(record, what, outcome);
    }
}

// Session files are written on a blocking thread.
async fn run_blocking(work: impl FnOnce() -> Result<String, Error> + Send + 'static) -> Result<String, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Error::unavailable(error.to_string())))
}

fn go_to(place: String, cookie: String) -> Response {
    let headers = [(LOCATION, place), (SET_COOKIE, cookie), (CACHE_CONTROL, "no-store".to_owned())];
    (StatusCode::SEE_OTHER, headers).into_response()
}

fn broken(error: &Error) -> Response {
    let headers = [(RETRY_AFTER, RETRY_SECONDS.to_string()), (CACHE_CONTROL, "no-store".to_owned())];
    (StatusCode::SERVICE_UNAVAILABLE, headers, error.message.clone()).into_response()
}

fn page(status: StatusCode, problem: Option<&str>, next: &ReturnTo) -> Response {
    let page = outside("Log in", &html! {}, &form(problem, next)).into_string();
    (status, [(CACHE_CONTROL, "no-store")], Html(page)).into_response()
}

fn form(problem: Option<&str>, next: &ReturnTo) -> Markup {
    html! {
        div class="login-box" {
            (mark())
            h1 { "Log in" }
            form method="post" action="/login" {
                @if let Some(problem) = problem { p class="notice danger" id="problem" role="alert" { (problem) } }
                label for="token" { "Token" }
                span class="with-icon" {
                    (icon("key"))
                    input #token class="field" type="password" name="token" autocomplete="current-password" required autofocus
                        aria-invalid=[problem.map(|_| "true")] aria-describedby=[problem.map(|_| "problem")];
                }
                @if let Some(place) = next.elsewhere() { input type="hidden" name="next" value=(place); }
                button type="submit" class="button primary" { "Log in" (icon("arrow-r")) }
            }
            p class="foot" { "Whoever runs this server gives you a token. They make one with " code { "cairn token create NAME" } "." }
        }
    }
}
