//! Shapes on a plane.

#![allow(dead_code)]

use std::fmt;

// A comment that is about nothing below.

/// How near is near.
pub const EPSILON: f64 = 1e-9;

static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

/// A point.
///
/// It has two coordinates.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Point<T = f64> {
    pub x: T, // trailing
    pub y: T,
}

pub struct Unit;

pub type Pair = (Point, Point);

#[derive(Debug)]
pub enum Shape {
    Circle { centre: Point, radius: f64 },
    Polygon(Vec<Point>),
}

pub union Bits {
    float: f64,
    integer: u64,
}

/// Has an area.
pub trait Area {
    /// Unit of the area.
    type Unit;
    const SIDES: usize = 0;
    fn area(&self) -> f64;

    fn double(&self) -> f64 {
        2.0 * self.area()
    }
}

impl<T> Point<T>
where
    T: Copy,
{
    /// Makes a point.
    #[inline]
    #[must_use]
    pub const fn new(
        x: T, // across
        y: T,
    ) -> Self {
        Self { x, y }
    }

    pub fn swap(self) -> Self {
        fn helper<A>(a: A) -> A {
            a
        }
        const LOCAL: u8 = 1;
        Self { x: helper(self.y), y: self.x }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.x, self.y)
    }
}

impl fmt::LowerHex for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", self.x.to_bits())
    }
}

impl<'a> From<&'a str> for crate::Shape {
    fn from(_: &'a str) -> Self {
        Self::Polygon(Vec::new())
    }
}

macro_rules! square {
    ($x:expr) => {
        $x * $x
    };
}

pub async unsafe fn größe<'a, F: Fn(&'a str) -> usize>(f: F) -> usize
where
    F: Send,
{
    f("a")
}

pub fn area(shape: &Shape) -> f64 { match shape { _ => 0.0 } }

pub fn r#type() {}

pub mod inner {
    pub mod deep {
        pub fn area() {}
    }
}

cfg_net! {
    /// Only with a net.
    #[derive(Debug)]
    pub struct Socket;

    impl Socket {
        pub fn open(&self) {}
    }

    cfg_unix! {
        pub fn listen() -> Socket { Socket }
    }
}

impl Unit {
    cfg_rt! {
        pub fn spawn(&self) {}
    }
}

bitflags! {
    struct Flags: u32 {
        const A = 1;
    }
}

thread_local! { static LOCAL: u8 = 1; }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn area() {
        html! { fn not_an_item() {} }
        assert!(super::area(&Shape::Polygon(vec![])) < EPSILON);
    }
}
