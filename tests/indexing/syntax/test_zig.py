"""Zig: types are constants whose value is a container."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = """\
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
"""


@cache
def sample() -> Parsed:
    return read("zig", "server.zig", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "constant Line",
        "struct Server",
        "field Server.allocator",
        "field Server.count",
        "enum Server.Failure",
        "method Server.init",
        "method Server.check",
        "enum Kind",
        "member Kind.one",
        "member Kind.two",
        "method Kind.next",
        "union Value",
        "field Value.number",
        "field Value.text",
        "constant limit",
        "variable seen",
        "function main",
        "test it serves",
    ]


def test_what_is_not_for_others() -> None:
    assert hidden(sample()) == {"Kind", "Line", "Server.check", "Value", "it serves", "seen"}


def test_a_comment_above_is_the_documentation() -> None:
    assert define(sample(), "Server").doc == "Serves lines."
    assert define(sample(), "Server.init").doc == "Makes one."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(sample(), "Server.init").signature == (
        "pub fn init(allocator: std.mem.Allocator) !Server"
    )
    assert define(sample(), "Server.count").signature == "count: u32 = 0"


def test_a_definition_covers_its_lines() -> None:
    assert lines(sample(), "Server") == (6, 23)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {"init", "log", "main", "send"}
    assert uses(sample(), "type") == {"Allocator", "Kind", "Line", "Server"}


def test_imports_name_their_modules() -> None:
    assert imports(sample()) == {"std": (), "line.zig": ()}


def test_a_union_of_errors_is_an_enum_and_an_import_is_no_constant() -> None:
    source = 'const a = @import("a.zig");\npub const Failure = error{Full} || a.Failure;\n'
    said = read("zig", "a.zig", source)
    assert outline(said) == ["enum Failure"]
    assert imports(said) == {"a.zig": ()}


def test_members_of_a_returned_type_belong_to_its_function() -> None:
    source = """
    pub fn List(comptime T: type) type {
        return struct { items: []T, pub fn add() void {} };
    }
    """
    said = read("zig", "a.zig", source)
    assert outline(said) == ["function List", "field List.items", "method List.add"]
