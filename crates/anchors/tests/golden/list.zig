//! A list.
const std = @import("std");
const Allocator = std.mem.Allocator;

/// How many.
pub const max_items: usize = 10;
var counter: u32 = 0;

pub const Error = error{ OutOfMemory, Empty };

/// A point.
pub const Point = struct {
    x: f64,
    y: f64 = 0,

    pub const origin = Point{ .x = 0, .y = 0 };

    /// Makes one.
    pub fn init(x: f64, y: f64) Point {
        const local = x;
        return .{ .x = local, .y = y };
    }

    fn length(self: Point) f64 {
        return @sqrt(self.x * self.x);
    }

    const Inner = struct {
        fn deep() void {}
    };
};

pub fn List(comptime T: type) type {
    return struct {
        const Self = @This();
        items: []T,

        pub fn push(self: *Self, item: T) !void {
            _ = self;
            _ = item;
        }
    };
}

const Color = enum(u8) {
    red,
    green,

    pub fn hex(self: Color) u32 {
        return @intFromEnum(self);
    }
};

const Value = union(enum) {
    int: i64,
    none,

    fn isNone(self: Value) bool {
        return self == .none;
    }
};

extern "c" fn printf(format: [*:0]const u8, ...) c_int;

export fn add(a: i32, b: i32) i32 {
    return a + b;
}

pub inline fn generic(
    comptime T: type, // which
    value: T,
) T {
    return value;
}

pub fn main() !void {
    std.debug.print("x", .{});
}

test "adds" {
    try std.testing.expect(add(1, 2) == 3);
}

test generic {
    _ = generic(u8, 1);
}
