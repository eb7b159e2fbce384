//! A server.
const std = @import("std");
const Line = @import("line.zig").Line;

/// Serves lines.
pub const Server = struct {
    allocator: std.mem.Allocator,
    count: u32 = 0,

    pub const Failure = error{ Closed, Full };
    const Self = @This();

    /// Makes one.
    pub fn init(allocator: std.mem.Allocator) !Server {
        const local = 1;
        log(local);
        return Server{ .allocator = allocator };
    }

    fn check(self: *Server, line: Line) void {
        self.inner.send(line);
    }
};

const Kind = enum(u8) {
    one,
    two,

    pub fn next(self: Kind) Kind {
        return self;
    }
};

const Value = union(enum) { number: u32, text: []const u8 };
pub const limit = 10;
var seen: u32 = 0;

pub fn main() !void {
    _ = try Server.init(std.heap.page_allocator);
}

test "it serves" {
    try main();
}
