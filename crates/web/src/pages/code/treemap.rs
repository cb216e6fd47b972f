//! A treemap: each file is a rectangle whose area is the number of its functions and types, and whose color says how many
//! have a note.

use annotations::view::CoverageFileView;
use maud::{Markup, html};

use super::address;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 300.0;
/// Files that are drawn; more would be too small to read.
const MAX_FILES: usize = 40;

#[derive(Clone, Copy)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// Renders the files; the one that the page shows is outlined.
pub(super) fn draw(files: &[CoverageFileView], shown: &str) -> Markup {
    let mut files: Vec<&CoverageFileView> = files.iter().collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.totals.units));
    files.truncate(MAX_FILES);
    let sizes: Vec<f64> = files.iter().map(|file| number(file.totals.units)).collect();
    let areas = lay_out(&sizes, Area { x: 0.0, y: 0.0, width: WIDTH, height: HEIGHT });
    html! {
        svg class="treemap" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="group" aria-label="Files by size and share of notes" {
            @for (file, area) in files.iter().zip(&areas) { (rectangle(file, area, file.file == shown)) }
        }
    }
}

fn rectangle(file: &CoverageFileView, area: &Area, is_shown: bool) -> Markup {
    let n_notes = file.totals.current + file.totals.stale;
    let percent = n_notes * 100 / file.totals.units.max(1);
    let name = file.file.rsplit('/').next().unwrap_or(&file.file);
    // About seven units per letter.
    let fits = number(name.chars().count()) * 7.0 + 12.0 < area.width && area.height > 36.0;
    html! {
        a href={ "/code/" (address(&file.file)) } aria-current=[is_shown.then_some("page")] {
            title { (file.file) ", " (percent) " % with a note" }
            rect class={ "c" (percent.div_ceil(25).min(4)) } x=(round(area.x)) y=(round(area.y)) width=(round(area.width)) height=(round(area.height)) rx="4" {}
            @if fits {
                text x=(round(area.x + 8.0)) y=(round(area.y + 17.0)) { (name) }
                text class="quiet" x=(round(area.x + 8.0)) y=(round(area.y + 32.0)) { (percent) " %" }
            }
        }
    }
}

fn number(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Divides an area by halves of equal weight, along its longer side.
fn lay_out(sizes: &[f64], area: Area) -> Vec<Area> {
    if sizes.len() <= 1 {
        return sizes.iter().map(|_| area).collect();
    }
    let total: f64 = sizes.iter().sum();
    let mut n = 1;
    let mut sum = sizes[0];
    while n < sizes.len() - 1 && sum + sizes[n] / 2.0 < total / 2.0 {
        sum += sizes[n];
        n += 1;
    }
    let share = if total > 0.0 { sum / total } else { 0.5 };
    let (first, second) = if area.width >= area.height {
        let width = area.width * share;
        (Area { width, ..area }, Area { x: area.x + width, width: area.width - width, ..area })
    } else {
        let height = area.height * share;
        (Area { height, ..area }, Area { y: area.y + height, height: area.height - height, ..area })
    };
    let mut areas = lay_out(&sizes[..n], first);
    areas.extend(lay_out(&sizes[n..], second));
    areas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_have_the_size_of_their_files_and_fill_the_whole() {
        let sizes = [6.0, 3.0, 2.0, 1.0];
        let areas = lay_out(&sizes, Area { x: 0.0, y: 0.0, width: 12.0, height: 10.0 });
        for (size, area) in sizes.iter().zip(&areas) {
            assert!((area.width * area.height - size * 10.0).abs() < 1e-6);
        }
        assert_eq!(areas.len(), 4);
        assert!(lay_out(&[], Area { x: 0.0, y: 0.0, width: 1.0, height: 1.0 }).is_empty());
    }
}
