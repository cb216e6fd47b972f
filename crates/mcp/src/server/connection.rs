//! The subscriptions and the log level of one client, and the task that sends it notifications.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rmcp::model::{
    ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification, SubscriptionFilter,
};
use rmcp::service::{Peer, RoleServer, SubscriptionContext};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::encode;
use crate::call::LogLevel;
use crate::watch::{Board, List, Notice};

/// Log level for clients that never set one.
const DEFAULT_LEVEL: LogLevel = LogLevel::Info;

/// Maximum number of resource subscriptions of one client.
const MAX_SUBSCRIPTIONS: usize = 1000;

/// A client that began with `initialize`, or sent no version at all.
#[derive(Debug)]
pub(crate) struct Connection {
    settings: Arc<Mutex<ClientSettings>>,
    /// Notifications can be sent outside of its requests.
    is_lasting: bool,
    is_heard: OnceLock<()>,
    ended: CancellationToken,
    _guard: DropGuard,
}

#[derive(Debug)]
struct ClientSettings {
    level: LogLevel,
    resources: HashSet<String>,
}

impl Connection {
    /// A client with a stream of its own.
    pub(super) fn with_session() -> Self {
        Self::new(true)
    }

    /// A client of a single request.
    pub(super) fn without_session() -> Self {
        Self::new(false)
    }

    fn new(is_lasting: bool) -> Self {
        let ended = CancellationToken::new();
        let settings = ClientSettings { level: DEFAULT_LEVEL, resources: HashSet::new() };
        let guard = ended.clone().drop_guard();
        Self { settings: Arc::new(Mutex::new(settings)), is_lasting, is_heard: OnceLock::new(), ended, _guard: guard }
    }

    pub(super) fn log_level(&self) -> LogLevel {
        self.settings.lock().level
    }

    pub(super) fn set_log_level(&self, level: LogLevel) {
        self.settings.lock().level = level;
    }

    /// Adds a subscription; returns whether there was room for it.
    pub(super) fn subscribe(&self, uri: String) -> bool {
        let mut settings = self.settings.lock();
        let has_room = settings.resources.len() < MAX_SUBSCRIPTIONS || settings.resources.contains(&uri);
        if has_room {
            settings.resources.insert(uri);
        }
        has_room
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        self.settings.lock().resources.remove(uri);
    }

    /// Starts the notification task, once per connection.
    pub(super) fn start_notifications(&self, board: Option<&Board>, peer: &Peer<RoleServer>) {
        let Some(board) = board.filter(|_| self.is_lasting) else { return };
        if self.is_heard.set(()).is_err() {
            return;
        }
        let (notices, peer) = (board.listen(), peer.clone());
        let (settings, ended) = (Arc::clone(&self.settings), self.ended.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = ended.cancelled() => {}
                () = forward(notices, &settings, &peer) => {}
            }
        });
    }
}

/// Forwards matching notices until the client is gone.
async fn forward(mut notices: Receiver<Arc<Notice>>, settings: &Mutex<ClientSettings>, peer: &Peer<RoleServer>) {
    loop {
        let wanted = match notices.recv().await {
            Ok(notice) => notifications_for(&notice, &settings.lock()),
            // The missed notices are unknown, so everything is reported as changed.
            Err(RecvError::Lagged(_)) => everything(settings.lock().resources.iter().cloned()),
            Err(RecvError::Closed) => return,
        };
        for notification in wanted {
            if peer.send_notification(notification).await.is_err() {
                return;
            }
        }
    }
}

fn notifications_for(notice: &Notice, settings: &ClientSettings) -> Vec<ServerNotification> {
    let is_wanted = match notice {
        Notice::ResourceChanged(uri) => settings.resources.contains(uri),
        Notice::ListChanged(_) => true,
        Notice::Log(message) => message.level >= settings.level,
        Notice::LogAbout(uri, message) => message.level >= settings.level && settings.resources.contains(uri),
    };
    if is_wanted { vec![notification(notice)] } else { Vec::new() }
}

/// Serves `subscriptions/listen` until the client or the server ends it.
pub(super) async fn listen(mut notices: Receiver<Arc<Notice>>, subscription: &SubscriptionContext) {
    let accepted = subscription.accepted().clone();
    loop {
        let wanted = match notices.recv().await {
            Ok(notice) if accepts(&accepted, &notice) => vec![notification(&notice)],
            Ok(_) => Vec::new(),
            Err(RecvError::Lagged(_)) => {
                let all = everything(accepted.resource_subscriptions.clone().into_iter().flatten());
                all.into_iter().filter(|notification| accepts_notification(&accepted, notification)).collect()
            }
            Err(RecvError::Closed) => return,
        };
        for notification in wanted {
            if subscription.sink().send(notification).await.is_err() {
                return;
            }
        }
    }
}

fn accepts(accepted: &SubscriptionFilter, notice: &Notice) -> bool {
    match notice {
        Notice::ResourceChanged(uri) => accepted.resource_subscriptions.iter().flatten().any(|wanted| wanted == uri),
        Notice::ListChanged(list) => accepts_list(accepted, *list),
        // In this era log messages belong to calls.
        Notice::Log(_) | Notice::LogAbout(..) => false,
    }
}

fn accepts_list(accepted: &SubscriptionFilter, list: List) -> bool {
    let accepted = match list {
        List::Tools => accepted.tools_list_changed,
        List::Resources => accepted.resources_list_changed,
        List::Prompts => accepted.prompts_list_changed,
    };
    accepted == Some(true)
}

fn accepts_notification(accepted: &SubscriptionFilter, notification: &ServerNotification) -> bool {
    match notification {
        ServerNotification::ToolListChangedNotification(_) => accepts_list(accepted, List::Tools),
        ServerNotification::ResourceListChangedNotification(_) => accepts_list(accepted, List::Resources),
        ServerNotification::PromptListChangedNotification(_) => accepts_list(accepted, List::Prompts),
        _ => true,
    }
}

fn everything(resources: impl Iterator<Item = String>) -> Vec<ServerNotification> {
    let lists = [List::Tools, List::Resources, List::Prompts].map(Notice::ListChanged);
    let all = lists.into_iter().chain(resources.map(Notice::ResourceChanged));
    all.map(|notice| notification(&notice)).collect()
}

fn notification(notice: &Notice) -> ServerNotification {
    match notice {
        Notice::ResourceChanged(uri) => {
            ResourceUpdatedNotification::new(ResourceUpdatedNotificationParam::new(uri)).into()
        }
        Notice::ListChanged(List::Tools) => rmcp::model::ToolListChangedNotification::default().into(),
        Notice::ListChanged(List::Resources) => rmcp::model::ResourceListChangedNotification::default().into(),
        Notice::ListChanged(List::Prompts) => rmcp::model::PromptListChangedNotification::default().into(),
        Notice::Log(message) | Notice::LogAbout(_, message) => encode::log(message),
    }
}
