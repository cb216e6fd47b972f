//! One configuration per host of an address.
//!
//! The library tries the hosts of a configuration in their order, each time anew. After a failover, every new connection
//! would wait for the dead host first; so each host is tried on its own, beginning with the one that answered last.

use postgres::Config;
use postgres::config::Host;

/// Returns the configuration of each host, in order.
pub(crate) fn one_per_host(config: &Config) -> Vec<Config> {
    (0..config.get_hosts().len()).map(|at| of_host(config, at)).collect()
}

/// Returns the name and port of a host, for messages.
pub(crate) fn show(config: &Config, at: usize) -> String {
    let port = port(config, at);
    match config.get_hosts().get(at) {
        Some(Host::Tcp(name)) => format!("{name}:{port}"),
        #[cfg(unix)]
        Some(Host::Unix(folder)) => format!("{}:{port}", folder.display()),
        None => String::new(),
    }
}

fn port(config: &Config, at: usize) -> u16 {
    config.get_ports().get(at).or(config.get_ports().first()).copied().unwrap_or(5432)
}

// A configuration cannot lose a host, so its other settings are copied into a new one.
fn of_host(config: &Config, at: usize) -> Config {
    let mut one = Config::new();
    match config.get_hosts().get(at) {
        Some(Host::Tcp(name)) => one.host(name),
        #[cfg(unix)]
        Some(Host::Unix(folder)) => one.host_path(folder),
        None => &mut one,
    };
    one.port(port(config, at));
    config.get_hostaddrs().get(at).map(|address| one.hostaddr(*address));
    config.get_user().map(|user| one.user(user));
    config.get_password().map(|password| one.password(password));
    config.get_dbname().map(|name| one.dbname(name));
    config.get_options().map(|options| one.options(options));
    config.get_application_name().map(|name| one.application_name(name));
    config.get_connect_timeout().map(|timeout| one.connect_timeout(*timeout));
    config.get_tcp_user_timeout().map(|timeout| one.tcp_user_timeout(*timeout));
    config.get_keepalives_interval().map(|interval| one.keepalives_interval(interval));
    config.get_keepalives_retries().map(|retries| one.keepalives_retries(retries));
    one.keepalives(config.get_keepalives()).keepalives_idle(config.get_keepalives_idle());
    one.ssl_mode(config.get_ssl_mode()).ssl_negotiation(config.get_ssl_negotiation());
    one.target_session_attrs(config.get_target_session_attrs()).channel_binding(config.get_channel_binding());
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Debug` of a configuration shows every setting but the password.
    #[test]
    fn each_host_keeps_every_setting() {
        let settings = "user=ada password=secret dbname=cairn options=-cx=y application_name=me sslmode=require \
                        connect_timeout=7 tcp_user_timeout=8 keepalives=0 keepalives_idle=9 keepalives_interval=10 \
                        keepalives_retries=11 target_session_attrs=read-write channel_binding=require";
        let config: Config = format!("host=a,b port=1,2 hostaddr=10.0.0.1,10.0.0.2 {settings}").parse().unwrap();
        let expected = [("a", 1, "10.0.0.1"), ("b", 2, "10.0.0.2")].map(|(host, port, address)| {
            format!("host={host} port={port} hostaddr={address} {settings}").parse::<Config>().unwrap()
        });
        let found = one_per_host(&config);
        assert_eq!(found.len(), 2);
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(format!("{found:?}"), format!("{expected:?}"));
            assert_eq!(found.get_password(), expected.get_password());
        }
    }
}
