//! The two text formats of metrics: `OpenMetrics` for scrapers that ask for it, otherwise the classic Prometheus
//! format, in which a counter has the name of its samples and the type `info` does not exist.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

/// A text format of metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// `OpenMetrics` 1.0.
    OpenMetrics,
    /// Prometheus 0.0.4.
    Classic,
}

impl Format {
    /// Chooses the format by `Accept`.
    pub(crate) fn wanted(headers: &HeaderMap) -> Self {
        let mut lists = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let is_newer = lists.any(|list| list.to_ascii_lowercase().contains("application/openmetrics-text"));
        if is_newer { Self::OpenMetrics } else { Self::Classic }
    }

    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Self::Classic => "text/plain; version=0.0.4; charset=utf-8",
        }
    }

    /// Converts from `OpenMetrics`.
    pub(super) fn write(self, text: String) -> String {
        if self == Self::OpenMetrics { text } else { classic(&text) }
    }
}

fn classic(text: &str) -> String {
    let kind_of = |name: &str| {
        let mut kinds = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
        kinds.find(|(known, _)| *known == name).map_or("", |(_, kind)| kind)
    };
    let mut written = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        let renamed = match words[..] {
            ["#", "EOF"] | ["#", "UNIT", ..] => continue,
            ["#", word, name, rest] => match (kind_of(name), word) {
                ("counter", _) => format!("# {word} {name}_total {rest}"),
                ("info", "TYPE") => format!("# TYPE {name}_info gauge"),
                ("info", _) => format!("# {word} {name}_info {rest}"),
                _ => line.to_owned(),
            },
            _ => line.to_owned(),
        };
        written.push_str(&renamed);
        written.push('\n');
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reader_gets_what_it_asks_for() {
        let wanted =
            |accept: &str| Format::wanted(&[(ACCEPT, accept.parse().expect("a header"))].into_iter().collect());
        let of_prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1";
        assert_eq!(wanted(of_prometheus), Format::OpenMetrics);
        assert_eq!(wanted("text/plain;version=0.0.4"), Format::Classic);
        assert_eq!(wanted("*/*"), Format::Classic);
        assert_eq!(Format::wanted(&HeaderMap::new()), Format::Classic);
    }

    #[test]
    fn older_text_calls_things_as_older_readers_do() {
        let newer = "# HELP a_writes Calls.\n# TYPE a_writes counter\na_writes_total{x=\"# EOF\"} 1\n\
                     # HELP a_build What is running.\n# TYPE a_build info\na_build_info{version=\"1\"} 1\n\
                     # HELP a_time How long.\n# TYPE a_time histogram\na_time_sum 1.0\n# EOF\n";
        let older = "# HELP a_writes_total Calls.\n# TYPE a_writes_total counter\na_writes_total{x=\"# EOF\"} 1\n\
                     # HELP a_build_info What is running.\n# TYPE a_build_info gauge\na_build_info{version=\"1\"} 1\n\
                     # HELP a_time How long.\n# TYPE a_time histogram\na_time_sum 1.0\n";
        assert_eq!(Format::Classic.write(newer.to_owned()), older);
        assert_eq!(Format::OpenMetrics.write(newer.to_owned()), newer);
    }
}
