//! Generated texts of items: titles, descriptions and comments of realistic lengths, deterministic.

use std::fmt::Write as _;
use std::sync::LazyLock;

/// Random numbers: the same seed gives the same history on every machine.
pub(crate) struct Random(testkit::Random);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(testkit::Random::new(seed))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0.bits()
    }

    /// Returns a number from 0 to `end`, exclusive. The bias is negligible here.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Returns a number from `least` to `most`, inclusive.
    pub(crate) fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    /// Returns true with this probability, in percent.
    pub(crate) fn percent(&mut self, hundredths: u64) -> bool {
        self.below(100) < hundredths
    }

    pub(crate) fn pick(&mut self, from: &[&'static str]) -> &'static str {
        let place = self.below(from.len() as u64);
        from[usize::try_from(place).expect("a place in a slice")]
    }
}

static VERBS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    words(
        "add allow avoid check clean close document drop explain export fix guard handle import keep limit log
        measure merge move parse print refuse remove rename replace report retry show sort split support test update
        validate write",
    )
});

static NOUNS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    words(
        "account address alert anchor archive attachment backup badge banner board branch browser bucket buffer
        button cache calendar certificate channel chart client clock column commit config connection cookie counter
        cursor dashboard database deadline dialog digest download draft editor email endpoint error event export
        feature field file filter folder footer form gateway graph handler header history hook icon image index
        invoice job key label layout ledger library license limit link list lock login mailbox manifest menu message
        metric migration mirror module network note number order package page panel parser password payment
        permission pipeline plugin pointer policy port preview printer process profile project prompt proxy query
        queue quota receipt record region release reminder report request response review role route row schedule
        schema screen script search secret server session setting signal snapshot socket source sprint stack status
        storage stream style summary switch symbol table tag target task template tenant terminal test theme thread
        ticket timeout timer token toolbar trace transfer tree trigger tunnel update upload user value vendor
        version view wallet warning widget window worker workspace zone",
    )
});

static QUALITIES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    words(
        "ambiguous average blank broken busy cold common deep duplicate early empty expired external fast final
        foreign hidden incomplete invalid large late local long missing narrow nested new noisy old optional partial
        pending plain private public random rare remote second shared short silent slow small stale strict unknown
        unused upper verbose wide wrong",
    )
});

static FILLERS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    words(
        "the a of to and in is that it for on with as this but not when after before because which we they only still
        then already should could does from by at or so if there every same other again until without while",
    )
});

fn words(text: &'static str) -> Vec<&'static str> {
    text.split_whitespace().collect()
}

/// A word that about one item in three hundred contains, for `cairn search`.
pub(crate) const RARE: &str = "heliograph";

/// Generates a title, such as `Fix the stale cache of the login page when offline`.
pub(crate) fn title(random: &mut Random) -> String {
    let mut title = format!("{} the {} {}", capital(random.pick(&VERBS)), random.pick(&QUALITIES), random.pick(&NOUNS));
    if random.percent(70) {
        let _ = write!(title, " of the {} {}", random.pick(&NOUNS), random.pick(&NOUNS));
    }
    if random.percent(25) {
        let _ = write!(title, " when the {} is {}", random.pick(&NOUNS), random.pick(&QUALITIES));
    }
    title
}

/// Generates a description: a paragraph or two, sometimes a list and a piece of code.
pub(crate) fn description(random: &mut Random) -> String {
    let mut text = paragraph(random, 3);
    if random.percent(60) {
        text.push_str("\n\n");
        text.push_str(&paragraph(random, 2));
    }
    if random.percent(25) {
        text.push('\n');
        for _ in 0..random.between(2, 5) {
            let _ = write!(text, "\n- {} the {} {}", random.pick(&VERBS), random.pick(&QUALITIES), random.pick(&NOUNS));
        }
    }
    if random.percent(15) {
        let (noun, other) = (random.pick(&NOUNS), random.pick(&NOUNS));
        let _ = write!(text, "\n\n```\n{noun}: cannot open \"{other}\" — exit 1\n```");
    }
    text
}

pub(crate) fn comment(random: &mut Random) -> String {
    let most = random.between(1, 3);
    paragraph(random, most)
}

fn paragraph(random: &mut Random, most: u64) -> String {
    let n_sentences = random.between(1, most);
    let sentences: Vec<String> = (0..n_sentences).map(|_| sentence(random)).collect();
    sentences.join(" ")
}

fn sentence(random: &mut Random) -> String {
    let mut words = vec![capital(random.pick(&FILLERS))];
    for _ in 0..random.between(6, 18) {
        words.push(word(random));
    }
    // There are many sentences: this gives the word the frequency that `RARE` documents.
    if random.below(1500) == 0 {
        words.push(RARE.to_owned());
    }
    words.join(" ") + "."
}

// Includes what real texts contain besides plain words: inflected forms, identifiers, abbreviated hashes. They make a
// full-text index large.
fn word(random: &mut Random) -> String {
    match random.below(100) {
        0..=47 => random.pick(&FILLERS).to_owned(),
        48..=65 => random.pick(&NOUNS).to_owned(),
        66..=75 => random.pick(&NOUNS).to_owned() + "s",
        76..=84 => random.pick(&QUALITIES).to_owned(),
        85..=89 => random.pick(&VERBS).to_owned(),
        90..=94 => random.pick(&VERBS).to_owned() + "ed",
        95..=97 => format!("`{}{}()`", random.pick(&VERBS), capital(random.pick(&NOUNS))),
        98 => format!("{:07x}", random.below(1 << 28)),
        _ => format!("#{}", random.between(1, 5000)),
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_tells_the_same_story() {
        let tell = |seed| {
            let mut random = Random::new(seed);
            (title(&mut random), description(&mut random), comment(&mut random))
        };
        assert_eq!(tell(7), tell(7));
        assert_ne!(tell(7), tell(8));
    }

    #[test]
    fn texts_are_as_long_as_people_write_them() {
        let mut random = Random::new(1);
        let mut mean =
            |write: fn(&mut Random) -> String| (0..2000).map(|_| write(&mut random).len()).sum::<usize>() / 2000;
        let (title, description, comment) = (mean(title), mean(description), mean(comment));
        assert!((30..70).contains(&title), "{title}");
        assert!((200..500).contains(&description), "{description}");
        assert!((80..300).contains(&comment), "{comment}");
    }

    #[test]
    fn numbers_stay_in_their_range() {
        let mut random = Random::new(3);
        let numbers: Vec<u64> = (0..1000).map(|_| random.between(2, 5)).collect();
        assert_eq!((numbers.iter().min(), numbers.iter().max()), (Some(&2), Some(&5)));
        let yes = (0..10_000).filter(|_| random.percent(15)).count();
        assert!((1_300..1_700).contains(&yes), "{yes}");
    }
}
