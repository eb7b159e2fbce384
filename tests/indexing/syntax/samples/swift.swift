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
