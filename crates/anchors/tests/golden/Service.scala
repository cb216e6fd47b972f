package org.example

import scala.concurrent.Future

/** A service. */
@deprecated("x", "1")
trait Service[F[_]] extends Closeable with Named {
  type Id
  val name: String
  var count: Int
  def get(id: Int): F[Item]

  // With a body.
  def getAll(ids: List[Int])(implicit ec: Ec): F[List[Item]] = {
    def helper(x: Int) = x
    val local = 1
    ids.map(get)
  }
}

object Service {
  val Default = "x"
  lazy val cache: Map[String, Int] = Map.empty
  private var counter = 0

  def apply[F[_]](name: String): Service[F] = ???

  implicit class Ops(val s: String) extends AnyVal {
    def shout: String = s.toUpperCase
  }

  object Inner {
    def deep(): Unit = ()
  }
}

sealed abstract class Item(val id: Int, name: String = "") extends Product {
  @inline final override def toString: String = s"Item($id)"

  def +(other: Item): Item = this

  def this() = this(0)
}

case class Book(title: String, pages: Int) extends Item(1)

case object Empty extends Item(0)

enum Color(val rgb: Int):
  case Red extends Color(0xff0000)
  case Green extends Color(0x00ff00)

  def hex: String = rgb.toHexString

type Pair[A] = (A, A)

given ordering: Ordering[Item] with
  def compare(a: Item, b: Item): Int = 0

extension (text: String)
  def shout: String = text.toUpperCase
  def whisper: String = text.toLowerCase

extension [T](items: List[T])
  def second: Option[T] = items.lift(1)

def topLevel(x: Int)(using ctx: Context): Int =
  val y = x
  y + 1

@main def run(args: String*): Unit =
  println("x")

class Größe
