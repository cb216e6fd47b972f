//! The widths of a table's columns. Columns that give way are narrowed, then left out, before the main column gets less
//! than [`MIN_MAIN_PERCENT`] of the line.

/// Minimum share of the line for the main column, in percent.
pub(super) const MIN_MAIN_PERCENT: usize = 45;
/// The width of the gap between columns.
pub(super) const GAP: usize = 2;

/// How a column behaves if the line is too short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Takes the width that the other columns leave.
    Main,
    /// Keeps its width. On a very narrow line it is left out, the last one first.
    Fixed,
    /// Is narrowed to `min`, then left out; the columns of a table give way from left to right.
    GivesWay { min: usize, max: usize },
}

/// A shown column and its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    /// Its place among all columns.
    pub(super) column: usize,
    pub(super) width: usize,
}

/// Returns the columns to show and their widths. `natural` has the role of each column and the width of its longest
/// cell; empty columns have width 0 and are left out.
pub(super) fn fit(natural: &[(Role, usize)], line: usize) -> Vec<Slot> {
    let mut slots = widest(natural);
    while !fits(natural, &mut slots, line) {
        let Some(place) = next_to_leave(natural, &slots) else {
            // Only the main column is left.
            for slot in &mut slots {
                slot.width = slot.width.min(line);
            }
            break;
        };
        slots.remove(place);
        widen(natural, &mut slots);
    }
    slots
}

/// Returns all columns with their natural widths, for output without a limit.
pub(super) fn unlimited(natural: &[(Role, usize)]) -> Vec<Slot> {
    let used = natural.iter().enumerate().filter(|(_, (_, width))| *width > 0);
    used.map(|(column, (_, width))| Slot { column, width: *width }).collect()
}

fn widest(natural: &[(Role, usize)]) -> Vec<Slot> {
    let mut slots = unlimited(natural);
    widen(natural, &mut slots);
    slots
}

fn widen(natural: &[(Role, usize)], slots: &mut [Slot]) {
    for slot in slots {
        let (role, width) = natural[slot.column];
        slot.width = if let Role::GivesWay { max, .. } = role { width.min(max) } else { width };
    }
}

/// Narrows columns until the line is short enough; returns whether that succeeded.
fn fits(natural: &[(Role, usize)], slots: &mut [Slot], line: usize) -> bool {
    let mut excess = total(slots).saturating_sub(line);
    let mut narrow = |slot: &mut Slot, min: usize| {
        let given = excess.min(slot.width.saturating_sub(min));
        slot.width -= given;
        excess -= given;
    };
    // The main column first gives up what exceeds its share, the others then what exceeds their minimum.
    let share = (line * MIN_MAIN_PERCENT).div_ceil(100);
    for slot in slots.iter_mut().filter(|slot| natural[slot.column].0 == Role::Main) {
        narrow(slot, share);
    }
    for slot in slots {
        if let Role::GivesWay { min, .. } = natural[slot.column].0 {
            narrow(slot, min);
        }
    }
    excess == 0
}

fn total(slots: &[Slot]) -> usize {
    slots.iter().map(|slot| slot.width).sum::<usize>() + GAP * slots.len().saturating_sub(1)
}

fn next_to_leave(natural: &[(Role, usize)], slots: &[Slot]) -> Option<usize> {
    let role = |slot: &Slot| natural[slot.column].0;
    let gives_way = slots.iter().position(|slot| matches!(role(slot), Role::GivesWay { .. }));
    gives_way.or_else(|| slots.iter().rposition(|slot| role(slot) == Role::Fixed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TITLE: (Role, usize) = (Role::Main, 90);
    const LABELS: (Role, usize) = (Role::GivesWay { min: 8, max: 18 }, 40);
    const PEOPLE: (Role, usize) = (Role::GivesWay { min: 6, max: 12 }, 30);

    fn widths(natural: &[(Role, usize)], line: usize) -> Vec<(usize, usize)> {
        fit(natural, line).iter().map(|slot| (slot.column, slot.width)).collect()
    }

    #[test]
    fn columns_give_way_from_left_to_right() {
        let natural = [(Role::Fixed, 4), TITLE, LABELS, PEOPLE];
        assert_eq!(widths(&natural, 150), [(0, 4), (1, 90), (2, 18), (3, 12)]);
        assert_eq!(widths(&natural, 80), [(0, 4), (1, 40), (2, 18), (3, 12)]);
        assert_eq!(widths(&natural, 60), [(0, 4), (1, 27), (2, 11), (3, 12)]);
        assert_eq!(widths(&natural, 40), [(0, 4), (1, 20), (3, 12)]);
        assert_eq!(widths(&natural, 16), [(0, 4), (1, 10)]);
        assert_eq!(widths(&natural, 7), [(1, 7)]);
    }

    #[test]
    fn empty_columns_are_left_out() {
        assert_eq!(widths(&[(Role::Fixed, 4), (Role::Fixed, 0), TITLE], 60), [(0, 4), (2, 54)]);
    }

    proptest! {
        #[test]
        fn the_line_is_never_too_long_and_the_title_keeps_its_share(
            fixed in proptest::collection::vec(0_usize..15, 0..4),
            title in 1_usize..300,
            others in proptest::collection::vec((1_usize..9, 0_usize..20, 0_usize..60), 0..4),
            line in 1_usize..200,
        ) {
            let mut natural: Vec<(Role, usize)> = fixed.iter().map(|width| (Role::Fixed, *width)).collect();
            let main = natural.len();
            natural.push((Role::Main, title));
            natural.extend(others.iter().map(|(min, more, width)| (Role::GivesWay { min: *min, max: min + more }, *width)));
            let slots = fit(&natural, line);
            prop_assert!(total(&slots) <= line, "{slots:?}");
            let width = slots.iter().find(|slot| slot.column == main).map(|slot| slot.width);
            let gives_way = |slot: &Slot| matches!(natural[slot.column].0, Role::GivesWay { .. });
            let is_wide = width.is_some_and(|width| width == title || width * 100 >= line * MIN_MAIN_PERCENT);
            prop_assert!(is_wide || !slots.iter().any(gives_way), "{slots:?}");
        }
    }
}
