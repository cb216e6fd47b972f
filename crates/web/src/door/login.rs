//! Logging in and out with a browser.

use std::collections::HashMap;

use app::Error;
use axum::Router;
use axum::extract::{Form, Query, Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::request::Parts;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use jiff::Timestamp;
use maud::{DOCTYPE, Markup, html};
use serde::Deserialize;

use super::Door;
use super::origin::is_same_origin;
use super::refusal::Refusal;
use crate::tokens::Fingerprint;

const STYLE: &str = include_str!("login.css");

#[derive(Deserialize)]
struct Given {
    token: String,
}

/// Returns the pages that people without a token see.
pub(super) fn routes(door: Door) -> Router {
    Router::new()
        .route("/login", get(show).post(log_in))
        .route("/logout", post(log_out))
        .route("/login.css", get(async || ([(CONTENT_TYPE, "text/css")], STYLE)))
        .with_state(door)
}

/// Shows the form; or lets whoever brings the key of this run in at once, the first time.
async fn show(State(door): State<Door>, Query(query): Query<HashMap<String, String>>) -> Response {
    let Some(key) = query.get("key") else { return page(StatusCode::OK, None) };
    match door.redeem(key) {
        Some(token) => begin(door, token).await,
        None => page(StatusCode::UNAUTHORIZED, Some("This link was used already. Log in with a token.")),
    }
}

async fn log_in(State(door): State<Door>, parts: Parts, Form(given): Form<Given>) -> Response {
    match door.check(given.token.trim(), &parts) {
        Ok(key) => begin(door, key.fingerprint).await,
        Err(Refusal::Unknown) => page(StatusCode::UNAUTHORIZED, Some("That is no token of this project.")),
        Err(refusal) => refusal.answer(&parts.method, parts.uri.path()),
    }
}

async fn log_out(State(door): State<Door>, request: Request) -> Response {
    let headers = request.headers().clone();
    if !is_same_origin(&headers) {
        return Refusal::Foreign.answer(request.method(), request.uri().path());
    }
    let ended = apart(move || door.0.sessions.end(&headers)).await;
    ended.map_or_else(|error| broken(&error), |cookie| go_to("/login", cookie))
}

async fn begin(door: Door, token: Fingerprint) -> Response {
    let begun = apart(move || door.0.sessions.begin(&token, Timestamp::now())).await;
    begun.map_or_else(|error| broken(&error), |cookie| go_to("/", cookie))
}

// The disk is waited for on a thread that may block.
async fn apart(work: impl FnOnce() -> Result<String, Error> + Send + 'static) -> Result<String, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Error::unavailable(error.to_string())))
}

fn go_to(place: &'static str, cookie: String) -> Response {
    let headers = [(LOCATION, place.to_owned()), (SET_COOKIE, cookie), (CACHE_CONTROL, "no-store".to_owned())];
    (StatusCode::SEE_OTHER, headers).into_response()
}

fn broken(error: &Error) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, error.message.clone()).into_response()
}

fn page(status: StatusCode, problem: Option<&str>) -> Response {
    (status, [(CACHE_CONTROL, "no-store")], Html(form(problem).into_string())).into_response()
}

fn form(problem: Option<&str>) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Log in · Cairn" }
                link rel="stylesheet" href="/login.css";
            }
            body {
                main {
                    h1 { "Cairn" }
                    @if let Some(problem) = problem { p role="alert" { (problem) } }
                    form method="post" action="/login" {
                        label for="token" { "Token" }
                        input #token type="password" name="token" autocomplete="current-password" required autofocus;
                        button type="submit" { "Log in" }
                    }
                    p { "A token is made with " code { "cairn token create NAME" } "." }
                }
            }
        }
    }
}
