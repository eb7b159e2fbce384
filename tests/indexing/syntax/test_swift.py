"""Swift: types, members, protocols, extensions, which give members to another type."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = """\
import Foundation
@testable import struct Net.Request

/// Sends requests.
public final class Session: Base, Sendable {
    public static let shared = Session()
    private var queue: [Request] = []

    /// Makes one.
    public init(name: String) { super.init(name) }

    @discardableResult
    open func send(_ request: Request, twice: Bool = false) async throws -> Reply {
        let local = 1
        queue.append(request)
        return try await Reply.make(from: request)
    }

    enum State: String { case idle, busy }
    subscript(index: Int) -> Request { queue[index] }
}

public protocol Sending: AnyObject {
    associatedtype Answer
    var count: Int { get }
    func send()
}

extension Session.State: Codable {
    func next() -> Self { self }
}

struct Box<T> { let value: T }
typealias Reader = (Data) -> Void
public func main() { func inner() {} }
"""


@cache
def sample() -> Parsed:
    return read("swift", "Session.swift", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "class Session",
        "property Session.shared",
        "property Session.queue",
        "constructor Session.init",
        "method Session.send",
        "enum Session.State",
        "member Session.State.idle",
        "member Session.State.busy",
        "method Session.subscript",
        "protocol Sending",
        "type Sending.Answer",
        "property Sending.count",
        "method Sending.send",
        "method Session.State.next",
        "struct Box",
        "property Box.value",
        "type Reader",
        "function main",
        "function main.inner",
    ]


def test_what_is_not_for_others() -> None:
    assert hidden(sample()) == {
        "Box",
        "Box.value",
        "Reader",
        "Session.State",
        "Session.State.busy",
        "Session.State.idle",
        "Session.State.next",
        "Session.queue",
        "Session.subscript",
        "main.inner",
    }


def test_a_comment_above_is_the_documentation() -> None:
    assert define(sample(), "Session").doc == "Sends requests."
    assert define(sample(), "Session.init").doc == "Makes one."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(sample(), "Session").signature == "public final class Session: Base, Sendable"
    assert define(sample(), "Session.send").signature == (
        "open func send(_ request: Request, twice: Bool = false) async throws -> Reply"
    )
    assert define(sample(), "Session.subscript").signature == "subscript(index: Int) -> Request"


def test_a_definition_covers_its_lines() -> None:
    assert lines(sample(), "Session.send") == (12, 17)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {"Session", "append", "init", "make", "queue"}
    assert uses(sample(), "inherit") == {"AnyObject", "Base", "Codable", "Sendable", "String"}
    assert uses(sample(), "decorator") == {"discardableResult", "testable"}


def test_imports_name_their_modules() -> None:
    assert imports(sample()) == {"Foundation": (), "Net.Request": ()}


def test_what_a_public_extension_adds_is_public() -> None:
    said = read(
        "swift",
        "a.swift",
        "public extension A.B {\n  func c() {}\n}\nextension D { func e() {} }\n",
    )
    assert outline(said) == ["method A.B.c", "method D.e"]
    assert hidden(said) == {"D.e"}


def test_operators_are_functions_and_return_types_are_not() -> None:
    source = """
    struct A {
      static func == (a: A, b: A) -> Bool { true }
      func c() -> D<E> { f() }
    }
    """
    assert outline(read("swift", "a.swift", source)) == ["struct A", "method A.==", "method A.c"]
