//! Maps story points to sizes. Taiga has points per role on a scale of the project's own; Cairn has four sizes.

use std::collections::BTreeMap;

use model::size::Size;
use taiga::dto::{PointsId, Project, RoleId};

/// A size: the maximum number of points, and the points it maps to.
struct SizeStep {
    size: Size,
    most: f64,
    typical: f64,
}

/// The table between points and sizes, smallest first; docs/guide/taiga.md shows it.
const SIZES: [SizeStep; 4] = [
    SizeStep { size: Size::Small, most: 2.0, typical: 1.0 },
    SizeStep { size: Size::Medium, most: 5.0, typical: 3.0 },
    SizeStep { size: Size::Large, most: 13.0, typical: 8.0 },
    SizeStep { size: Size::Xlarge, most: f64::INFINITY, typical: 20.0 },
];

/// Returns the size for a number of points; `None` for NaN. Taiga's `?` has no number and never gets here.
pub(crate) fn size_of(points: f64) -> Option<Size> {
    SIZES.iter().find(|step| points <= step.most).map(|step| step.size)
}

/// Returns the points that a size maps to.
pub(crate) fn points_of(size: Size) -> Option<f64> {
    SIZES.iter().find(|step| step.size == size).map(|step| step.typical)
}

/// Returns the value of a scale for a size: among the values of this size, the one nearest to its typical points.
fn nearest_points(size: Size, scale: impl IntoIterator<Item = f64>) -> Option<f64> {
    let typical = points_of(size)?;
    let distance = |value: &f64| (value - typical).abs();
    let same = scale.into_iter().filter(|value| size_of(*value) == Some(size));
    same.min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// The point values of a project, and the roles that are estimated.
#[derive(Debug, Clone, Default)]
pub(crate) struct PointScale {
    /// `?` has no value.
    values: Vec<(PointsId, Option<f64>)>,
    roles: Vec<RoleId>,
}

impl PointScale {
    pub(crate) fn of(project: &Project) -> Self {
        let values = project.points.iter().map(|points| (points.id, points.value)).collect();
        let roles = project.roles.iter().filter(|role| role.computable).map(|role| role.id).collect();
        Self { values, roles }
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = f64> {
        self.values.iter().filter_map(|(_, value)| *value)
    }

    /// Returns points by role with the wanted total; `None` if the scale lacks the value. Taiga adds up the points of
    /// all roles, so one role gets the total (the one that has points, or else the first) and the others get none.
    pub(crate) fn by_role(
        &self,
        now: &BTreeMap<RoleId, PointsId>,
        wanted: Option<f64>,
    ) -> Option<BTreeMap<RoleId, PointsId>> {
        let has_some = |role: &&RoleId| now.get(role).and_then(|id| self.value(*id)).is_some();
        let giving = *self.roles.iter().find(has_some).or_else(|| self.roles.first())?;
        let given = self.id(wanted)?;
        let mut points = BTreeMap::new();
        for role in &self.roles {
            let id = if *role == giving { given } else { self.id(None).or_else(|| self.id(Some(0.0)))? };
            points.insert(*role, id);
        }
        Some(points)
    }

    /// Returns points by role for a size.
    pub(crate) fn for_size(
        &self,
        now: &BTreeMap<RoleId, PointsId>,
        size: Option<Size>,
    ) -> Option<BTreeMap<RoleId, PointsId>> {
        match size {
            None => self.by_role(now, None),
            Some(size) => self.by_role(now, Some(nearest_points(size, self.values())?)),
        }
    }

    fn value(&self, wanted: PointsId) -> Option<f64> {
        self.values.iter().find(|(id, _)| *id == wanted).and_then(|(_, value)| *value)
    }

    fn id(&self, wanted: Option<f64>) -> Option<PointsId> {
        let is_wanted = |value: &Option<f64>| match (value, wanted) {
            (Some(value), Some(wanted)) => (value - wanted).abs() < 1e-9,
            (None, None) => true,
            _ => false,
        };
        self.values.iter().find(|(_, value)| is_wanted(value)).map(|(id, _)| *id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The default scale of a new Taiga project.
    const SCALE: [f64; 11] = [0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0, 13.0, 20.0, 40.0];

    #[test]
    fn each_size_has_points_that_are_this_size_again() {
        for step in &SIZES {
            assert_eq!(size_of(step.typical), Some(step.size));
            let sent = nearest_points(step.size, SCALE).unwrap();
            assert_eq!(size_of(sent), Some(step.size));
        }
    }

    #[test]
    fn every_value_of_a_scale_has_one_size() {
        let sizes: Vec<Size> = SCALE.iter().filter_map(|value| size_of(*value)).collect();
        let expect =
            [Size::Small; 4].iter().chain(&[Size::Medium; 2]).chain(&[Size::Large; 3]).chain(&[Size::Xlarge; 2]);
        assert_eq!(sizes, expect.copied().collect::<Vec<_>>());
        assert_eq!(size_of(f64::NAN), None);
    }

    #[test]
    fn size_that_a_scale_lacks_has_no_points() {
        assert_eq!(nearest_points(Size::Xlarge, [1.0, 2.0, 3.0]), None);
        assert_eq!(nearest_points(Size::Medium, [1.0, 4.0, 8.0]), Some(4.0));
    }

    fn scale(values: &[Option<f64>], n_roles: u64) -> PointScale {
        let values = (1..).map(PointsId).zip(values.iter().copied()).collect();
        PointScale { values, roles: (1..=n_roles).map(RoleId).collect() }
    }

    fn total(scale: &PointScale, points: Option<BTreeMap<RoleId, PointsId>>) -> Option<f64> {
        points.map(|points| points.values().filter_map(|id| scale.value(*id)).sum())
    }

    #[test]
    fn points_of_all_roles_add_up_to_the_total() {
        let scale = scale(&[None, Some(0.0), Some(0.5), Some(3.0), Some(8.0)], 3);
        let now = BTreeMap::from([(RoleId(1), PointsId(1)), (RoleId(2), PointsId(4)), (RoleId(3), PointsId(5))]);
        let points = scale.by_role(&now, Some(0.5)).unwrap();
        assert_eq!((points[&RoleId(2)], total(&scale, Some(points))), (PointsId(3), Some(0.5)));
        assert_eq!(total(&scale, scale.by_role(&BTreeMap::new(), Some(8.0))), Some(8.0));
        assert!(scale.by_role(&now, None).unwrap().values().all(|id| *id == PointsId(1)));
        assert_eq!(scale.by_role(&now, Some(4.0)), None);
        assert_eq!(scale.for_size(&now, Some(Size::Xlarge)), None);
        assert_eq!(total(&scale, scale.for_size(&now, Some(Size::Medium))), Some(3.0));
    }

    #[test]
    fn scale_without_a_question_mark_gives_the_others_nothing() {
        let with_zero = scale(&[Some(0.0), Some(3.0)], 2);
        assert_eq!(total(&with_zero, with_zero.by_role(&BTreeMap::new(), Some(3.0))), Some(3.0));
        assert_eq!(with_zero.by_role(&BTreeMap::new(), None), None);
        assert_eq!(scale(&[Some(1.0), Some(3.0)], 2).by_role(&BTreeMap::new(), Some(3.0)), None);
        assert_eq!(scale(&[Some(3.0)], 0).by_role(&BTreeMap::new(), Some(3.0)), None);
    }
}
