import Foundation

/// How many.
let maxShapes = 10
var counter = 0, other = 1

typealias Handler = (Shape) -> Void

/// A shape.
///
/// It has an area.
@objc
public protocol Shape: AnyObject {
    associatedtype Unit
    var area: Double { get }
    static var count: Int { get set }
    func scale(by factor: Double) -> Self
    init(area: Double)
}

@available(iOS 13, *)
public final class Circle<T>: NSObject, Shape where T: Hashable {
    private let radius: Double
    static let shared = Circle(radius: 1)
    lazy var label: String = {
        "circle"
    }()

    public var area: Double {
        return .pi * radius * radius
    }

    var name: String = "x" {
        didSet { print(name) }
    }

    init(radius: Double) {
        self.radius = radius
    }

    convenience required init?(coder: NSCoder) {
        nil
    }

    deinit {
        counter -= 1
    }

    @discardableResult
    public func scale(
        by factor: Double, // how much
        around centre: Point = .zero
    ) async throws -> Circle {
        let local = factor
        func helper() -> Double { local }
        return Circle(radius: helper())
    }

    subscript(index: Int) -> Double {
        return 0
    }

    static func == (a: Circle, b: Circle) -> Bool {
        a.radius == b.radius
    }

    class func make() -> Circle { Circle(radius: 1) }

    struct Options {
        var filled = true
        func apply() {}
    }
}

struct Point: Equatable {
    let x: Double
    let y: Double

    mutating func move() {}
}

enum Direction: String, CaseIterable {
    case north, south
    case east = "e"

    var opposite: Direction { .north }

    func turn() -> Direction { self }
}

actor Store {
    func save() {}
}

// Extends.
extension Point: CustomStringConvertible {
    var description: String { "(\(x), \(y))" }
}

extension Point {
    static let zero = Point(x: 0, y: 0)

    func distance(to other: Point) -> Double { 0 }
}

extension Array where Element == Point {
    func sum() -> Double { 0 }
}

func area<S: Shape>(of shape: S) -> Double {
    shape.area
}

func größe() {}
