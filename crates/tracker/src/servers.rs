//! The user's Taiga servers: login and logout, and the server a repository is bound to.
//!
//! Non-secret data is stored in a file of the user's state directory; tokens are stored by `vault`. Nothing is
//! committed to a repository; the names of the bound server and project are in its git directory.

mod binding;
mod instance;
mod private_file;
mod vault;

use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use app::Error;
use parking_lot::Mutex;
use store::git::Repository;
use taiga::{Client, Credentials, Secret, ServerUrl, Settings, TokenPair, TokenStore};

use super::remote::{Account, Remote};
use super::{ProjectName, Tracker};
use crate::bridge::Target;
pub use binding::Binding;
pub use instance::Instance;
use instance::Instances;
pub use vault::TokenLocation;
use vault::Vault;

/// The name of the server configured by environment variables.
const ENVIRONMENT: &str = "environment";

/// Where to find servers and tokens.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The user's state directory.
    pub state: PathBuf,
    /// A server for this process only, and its token.
    pub given: Option<(String, Secret)>,
    /// The missing variable if only one of server and token is set.
    pub missing: Option<&'static str>,
    /// Where the tokens of a new login are stored.
    pub token_storage: TokenStorage,
}

/// Where the tokens of a new login are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenStorage {
    /// A file that only its owner may read.
    File,
    /// Git's credential helpers.
    Keyring,
}

/// The servers that a person works with. Accounts are kept for the next call.
pub struct Servers {
    setup: Setup,
    accounts: Mutex<HashMap<Instance, Arc<Account>>>,
}

/// Login credentials.
pub enum Proof {
    /// A user name or e-mail address, and the password.
    Password {
        /// The name.
        username: String,
        /// The password.
        password: Secret,
    },
    /// A token created elsewhere; it cannot be renewed.
    Token(Secret),
}

impl Servers {
    /// Creates the list of servers; reads nothing yet.
    pub fn new(setup: Setup) -> Self {
        Self { setup, accounts: Mutex::default() }
    }

    /// Logs in and stores the server under a name, or under its existing name.
    pub fn log_in(&self, url: &str, name: Option<&str>, proof: &Proof) -> Result<Instance, Error> {
        let server = read_url(url)?;
        let name = match name {
            Some(name) => instance::check_name(name)?,
            None => self.default_name(&server)?,
        };
        let (pair, username) = check_proof(&server, proof)?;
        let keeper = match self.setup.token_storage {
            TokenStorage::File => TokenLocation::File,
            TokenStorage::Keyring => TokenLocation::Keyring,
        };
        self.remove_other_tokens(&name, keeper)?;
        Vault::new(&self.setup, &name, keeper).store(&pair)?;
        let instance = Instance { name, url: server.to_string(), username, keeper };
        self.instances().add(&instance)?;
        Ok(instance)
    }

    /// Removes the tokens of an earlier login from another storage, where they would outlive a logout.
    fn remove_other_tokens(&self, name: &str, keeper: TokenLocation) -> Result<(), Error> {
        let former = self.instances().all()?.into_iter().find(|known| known.name == name);
        match former.filter(|former| former.keeper != keeper) {
            Some(former) => Vault::new(&self.setup, name, former.keeper).forget(),
            None => Ok(()),
        }
    }

    /// Returns the default name of a server: its existing name, or else one made from its URL.
    fn default_name(&self, server: &ServerUrl) -> Result<String, Error> {
        let url = server.to_string();
        let known = self.instances().all()?.into_iter().find(|instance| instance.url == url);
        known.map_or_else(|| instance::check_name(&server.short_name()), |instance| Ok(instance.name))
    }

    /// Removes a server and its tokens; returns the removed server.
    pub fn log_out(&self, name: &str) -> Result<Instance, Error> {
        let instance = self.find(name)?;
        if instance.name == ENVIRONMENT {
            return Err(Error::invalid("this server comes from the environment")
                .hint("unset `CAIRN_TAIGA_URL` and `CAIRN_TAIGA_TOKEN`"));
        }
        Vault::new(&self.setup, &instance.name, instance.keeper).forget()?;
        self.instances().remove(&instance.name)?;
        Ok(instance)
    }

    /// Returns all servers, by name.
    pub fn all(&self) -> Result<Vec<Instance>, Error> {
        let given = self.environment_instance()?;
        let stored = self.instances().all()?;
        Ok(given.into_iter().chain(stored).collect())
    }

    /// Finds a server by name.
    pub fn find(&self, name: &str) -> Result<Instance, Error> {
        let all = self.all()?;
        let names: Vec<&str> = all.iter().map(|instance| instance.name.as_str()).collect();
        let hint = match names.as_slice() {
            [] => self.login_hint(),
            names => format!(
                "you are logged in to {}; `cairn taiga use --local` works on the repository's own items",
                names.join(", ")
            ),
        };
        let unknown = || {
            let shown = model::text::quoted(name);
            Error::not_found(format!("you are not logged in to a Taiga called `{shown}`")).hint(hint)
        };
        all.iter().find(|instance| instance.name == name).cloned().ok_or_else(unknown)
    }

    /// Returns the hint for a user without any server.
    fn login_hint(&self) -> String {
        match self.setup.missing {
            Some(name) => format!("set `{name}` too, or log in with `cairn taiga login URL`"),
            None => "`cairn taiga login URL` logs in to one".to_owned(),
        }
    }

    /// Finds the default server: the one the repository is bound to, or else the only one.
    pub fn default_server(&self, binding: Option<&Binding>) -> Result<Instance, Error> {
        if let Some(name) = self.chosen(binding)? {
            return self.find(&name);
        }
        let mut all = self.all()?;
        match all.len() {
            1 => Ok(all.remove(0)),
            0 => Err(Error::not_found("you are not logged in to any Taiga").hint(self.login_hint())),
            _ => {
                let names: Vec<String> = all.into_iter().map(|instance| instance.name).collect();
                Err(Error::invalid("you are logged in to several Taigas")
                    .hint(format!("name one of {}", names.join(", "))))
            }
        }
    }

    /// Returns the binding of the repository that contains a directory.
    pub fn binding(&self, place: &Path) -> Result<Binding, Error> {
        let repository = Repository::discover(place)?;
        Binding::read(repository.common_dir())
    }

    /// Returns the name of the server a repository is bound to; `None` if it uses its own log.
    pub fn chosen(&self, binding: Option<&Binding>) -> Result<Option<String>, Error> {
        if self.environment_instance()?.is_some() {
            return Ok(Some(ENVIRONMENT.to_owned()));
        }
        Ok(binding.and_then(|binding| binding.instance().map(str::to_owned)))
    }

    /// Binds a repository to a server, and to a project if one is given.
    pub fn bind(&self, binding: &mut Binding, instance: &Instance, project: Option<&ProjectName>) -> Result<(), Error> {
        let account = self.account(instance)?;
        if let Some(project) = project {
            let remote = Remote::new(account, Box::new(binding.memory(instance)));
            remote.activate(project)?;
        }
        // Last, so that an unknown project leaves the binding unchanged.
        binding.choose(Some(&instance.name))
    }

    /// Returns the tracker of a server, for one call. Without a repository there is no active project.
    pub fn tracker(&self, instance: &Instance, binding: Option<&Binding>) -> Result<Remote, Error> {
        let memory: Box<dyn super::Memory> = match binding {
            Some(binding) => Box::new(binding.memory(instance)),
            None => Box::new(NoMemory),
        };
        Ok(Remote::new(self.account(instance)?, memory))
    }

    /// Returns the target of a bridge: the named project, or the one the repository is bound to.
    pub fn bridge(
        &self,
        instance: &Instance,
        binding: &Binding,
        project: Option<&ProjectName>,
    ) -> Result<Target, Error> {
        let project = match project {
            Some(name) => self.tracker(instance, Some(binding))?.project(name)?.id,
            None => binding.project(instance).map(|card| card.id).ok_or_else(|| {
                Error::invalid(format!("no project of `{}` is chosen", instance.name))
                    .hint("name one, or choose one with `cairn taiga use PROJECT`; `cairn taiga projects` lists them")
            })?,
        };
        let client = self.account(instance)?.client().clone();
        Ok(Target { client, server: read_url(&instance.url)?, project: project.get() })
    }

    /// Returns the account of a server.
    pub fn account(&self, instance: &Instance) -> Result<Arc<Account>, Error> {
        let mut accounts = self.accounts.lock();
        if let Some(account) = accounts.get(instance) {
            return Ok(Arc::clone(account));
        }
        let server = read_url(&instance.url)?;
        // Creating a client makes no request, so the lock is held only briefly.
        let client = Client::new(&settings(&server), self.credentials(instance)).map_err(app_error)?;
        let account = Arc::new(Account::new(client, server));
        accounts.insert(instance.clone(), Arc::clone(&account));
        Ok(account)
    }

    fn credentials(&self, instance: &Instance) -> Credentials {
        match &self.setup.given {
            Some((_, token)) if instance.name == ENVIRONMENT => {
                let written = token.expose();
                let written = written.strip_prefix("Bearer ").unwrap_or(written);
                let application = written.strip_prefix("Application ");
                let token = |text: &str| Secret::new(text.trim());
                application
                    .map_or_else(|| Credentials::Bearer(token(written)), |text| Credentials::Application(token(text)))
            }
            _ => {
                let vault: Arc<dyn TokenStore> = Arc::new(Vault::new(&self.setup, &instance.name, instance.keeper));
                Credentials::Stored(vault)
            }
        }
    }

    fn environment_instance(&self) -> Result<Option<Instance>, Error> {
        let Some((url, _)) = &self.setup.given else { return Ok(None) };
        let url = read_url(url)?.to_string();
        let (name, username) = (ENVIRONMENT.to_owned(), String::new());
        Ok(Some(Instance { name, url, username, keeper: TokenLocation::Environment }))
    }

    fn instances(&self) -> Instances {
        Instances::in_folder(&self.setup.state)
    }
}

/// A memory for calls outside a repository: no project can be stored.
struct NoMemory;

impl super::Memory for NoMemory {
    fn active(&self) -> super::TrackerResult<Option<super::Id>> {
        Ok(None)
    }

    fn remember(&self, _: &super::ProjectCard) -> super::TrackerResult<()> {
        Err(super::failure::Problem::NoActiveProject.into())
    }
}

fn check_proof(server: &ServerUrl, proof: &Proof) -> Result<(TokenPair, String), Error> {
    let settings = settings(server);
    match proof {
        Proof::Password { username, password } => {
            let login = Client::log_in(&settings, username, password)
                .map_err(|error| login_error(error, "check the user name and the password"))?;
            Ok((login.tokens, login.user.username))
        }
        Proof::Token(token) => {
            let client = Client::new(&settings, Credentials::Bearer(token.clone())).map_err(app_error)?;
            let user = client.me().map_err(|error| {
                login_error(error, "check the token; that of an application goes into `CAIRN_TAIGA_TOKEN`, not here")
            })?;
            Ok((TokenPair { access: token.clone(), refresh: None }, user.username))
        }
    }
}

fn settings(server: &ServerUrl) -> Settings {
    let user_agent = concat!("cairn/", env!("CARGO_PKG_VERSION")).to_owned();
    Settings { user_agent, ..Settings::new(server.clone()) }
}

/// Parses a server URL; rejects unencrypted connections over a network.
fn read_url(url: &str) -> Result<ServerUrl, Error> {
    let server: ServerUrl = url.parse().map_err(|error: taiga::Error| no_address(url, error.message))?;
    if !server.is_encrypted() && !server.is_loopback() {
        return Err(Error::invalid(format!(
            "`{server}` is not encrypted; your password and token would be readable on the way"
        ))
        .hint("use its address with `https://`, or a tunnel that ends on this machine"));
    }
    Ok(server)
}

/// Returns the error for an invalid URL. A URL that only lacks its scheme is shown completed; any other may contain a
/// password and is not shown.
fn no_address(url: &str, why: String) -> Error {
    let completed = format!("https://{}", url.trim());
    match completed.parse::<ServerUrl>() {
        Ok(_) => Error::invalid(why).hint(format!("did you mean `{completed}`?")),
        Err(_) => Error::invalid(why),
    }
}

/// Returns the error of a failed login, without the hint to log in.
fn login_error(error: taiga::Error, what_to_check: &str) -> Error {
    let is_refused = matches!(error.kind, taiga::ErrorKind::Auth(_));
    let error = app_error(error);
    if is_refused { error.hint(what_to_check) } else { error }
}

fn app_error(error: taiga::Error) -> Error {
    super::Failure::from(error).into()
}
