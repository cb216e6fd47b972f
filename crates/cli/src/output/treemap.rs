//! A treemap of annotation coverage: a rectangle per file, sized by its number of functions and types, split into
//! current, stale and missing annotations.

use std::fmt::Write as _;

use annotations::view::{CoverageFileView, CoverageView};

/// The size of the picture.
const WIDTH: f64 = 1200.0;
const HEIGHT: f64 = 720.0;
/// Height of the heading and the legend.
const HEADING: f64 = 40.0;
/// Minimum size of a rectangle with a label.
const MIN_LABELED_SIZE: (f64, f64) = (60.0, 18.0);
/// Approximate width of a letter.
const LETTER: f64 = 7.0;
/// Colors that are distinguishable with red-green color blindness.
const CURRENT: &str = "#2a7f9e";
const STALE: &str = "#e0a530";
const BARE: &str = "#d9d9d9";

#[derive(Debug, Clone, Copy, PartialEq)]
struct Rectangle {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// Renders coverage as SVG.
pub(crate) fn treemap(coverage: &CoverageView) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<title>Annotations of {}</title>\n",
        escaped(&coverage.path)
    );
    let total = &coverage.total;
    let words = [(CURRENT, "current", total.current), (STALE, "stale", total.stale), (BARE, "bare", total.bare)];
    for (place, (color, word, n)) in words.into_iter().enumerate() {
        let x = 8.0 + 160.0 * number(place);
        let _ = writeln!(svg, "<rect x=\"{x}\" y=\"12\" width=\"16\" height=\"16\" fill=\"{color}\"/>");
        let _ = writeln!(svg, "<text x=\"{}\" y=\"25\">{word}: {n}</text>", x + 22.0);
    }
    let mut files: Vec<&CoverageFileView> = coverage.files.iter().collect();
    files.sort_by(|a, b| b.totals.units.cmp(&a.totals.units).then_with(|| a.file.cmp(&b.file)));
    let whole = Rectangle { x: 0.0, y: HEADING, width: WIDTH, height: HEIGHT - HEADING };
    lay_out(&files, whole, &mut |file, place| draw(&mut svg, file, place));
    svg.push_str("</svg>\n");
    svg
}

/// Splits files and area alternately, so that no rectangle becomes a sliver.
fn lay_out<'f>(
    files: &[&'f CoverageFileView],
    room: Rectangle,
    draw: &mut impl FnMut(&'f CoverageFileView, Rectangle),
) {
    let [first, rest @ ..] = files else { return };
    if rest.is_empty() {
        draw(first, room);
        return;
    }
    let size = |files: &[&CoverageFileView]| files.iter().map(|file| number(file.totals.units)).sum::<f64>();
    let all = size(files);
    let mut cut = 1;
    while cut + 1 < files.len() && size(&files[..cut]) * 2.0 < all {
        cut += 1;
    }
    let share = size(&files[..cut]) / all;
    let (one, other) = if room.width >= room.height {
        let width = room.width * share;
        let other = Rectangle { x: room.x + width, width: room.width - width, ..room };
        (Rectangle { width, ..room }, other)
    } else {
        let height = room.height * share;
        let other = Rectangle { y: room.y + height, height: room.height - height, ..room };
        (Rectangle { height, ..room }, other)
    };
    lay_out(&files[..cut], one, draw);
    lay_out(&files[cut..], other, draw);
}

fn draw(svg: &mut String, file: &CoverageFileView, place: Rectangle) {
    let totals = &file.totals;
    let name = escaped(&file.file);
    let _ = writeln!(
        svg,
        "<g><title>{name}: {} of {} current, {} stale</title>",
        totals.current, totals.units, totals.stale
    );
    let mut x = place.x;
    for (color, n) in [(CURRENT, totals.current), (STALE, totals.stale), (BARE, totals.bare)] {
        let width = place.width * number(n) / number(totals.units.max(1));
        if n > 0 {
            let (y, height) = (place.y, place.height);
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{color}\"/>"
            );
        }
        x += width;
    }
    let Rectangle { x, y, width, height } = place;
    let _ = writeln!(
        svg,
        "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"none\" stroke=\"white\"/>"
    );
    if width >= MIN_LABELED_SIZE.0 && height >= MIN_LABELED_SIZE.1 {
        let letters = file.file.chars().rev().zip(1u32..).take_while(|(_, n)| f64::from(*n) * LETTER < width);
        let mut short: Vec<char> = letters.map(|(letter, _)| letter).collect();
        short.reverse();
        let short = String::from_iter(short);
        let _ = writeln!(svg, "<text x=\"{:.2}\" y=\"{:.2}\">{}</text>", x + 4.0, y + 14.0, escaped(&short));
    }
    svg.push_str("</g>\n");
}

fn number(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

// Replaces characters that are special or invalid in XML.
fn escaped(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => clean.push_str("&amp;"),
            '<' => clean.push_str("&lt;"),
            '>' => clean.push_str("&gt;"),
            '"' => clean.push_str("&quot;"),
            letter if letter.is_control() => clean.push('\u{fffd}'),
            letter => clean.push(letter),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use annotations::view::CoverageTotalsView;

    use super::*;

    fn file(name: &str, units: usize) -> CoverageFileView {
        CoverageFileView {
            file: name.to_owned(),
            totals: CoverageTotalsView { units, current: units, ..CoverageTotalsView::default() },
        }
    }

    #[test]
    fn every_file_has_room_as_it_is_large() {
        let files = [file("a", 60), file("b", 30), file("c", 10)];
        let all: Vec<&CoverageFileView> = files.iter().collect();
        let mut areas = Vec::new();
        let room = Rectangle { x: 0.0, y: 0.0, width: 10.0, height: 10.0 };
        lay_out(&all, room, &mut |file, place| areas.push((file.file.clone(), (place.width * place.height).round())));
        assert_eq!(areas, [("a".to_owned(), 60.0), ("b".to_owned(), 30.0), ("c".to_owned(), 10.0)]);
    }

    #[test]
    fn a_name_cannot_break_out_of_the_picture() {
        let files = vec![file("<script>&\"\u{1}", 3)];
        let svg = treemap(&CoverageView { path: "<".to_owned(), total: files[0].totals, files, warnings: Vec::new() });
        assert!(!svg.contains("<script>"), "{svg}");
        insta::assert_snapshot!(testkit::lines_with(&svg, "script"), @r#"
        <g><title>&lt;script&gt;&amp;&quot;�: 3 of 3 current, 0 stale</title>
        <text x="4.00" y="54.00">&lt;script&gt;&amp;&quot;�</text>
        "#);
    }
}
