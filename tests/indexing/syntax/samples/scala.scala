package shop.core

import cats.data.Validated
import shop.store.{Disk, Memory => Ram}

/** A person. */
final case class User[A](name: String, private val age: Int)(implicit e: Encoder[A])
    extends Base(name)
    with Named {
  val limit: Int = 10
  private[this] var seen = 0

  // Greets.
  @tailrec
  def greet(other: User[A]): Greeting = {
    val local = compute(1)
    def inner = local
    other.answer(inner)
    new Greeting(name)
  }
  protected def hide(): Unit = ()
}

object User {
  type Id = Int
  implicit val order: Ordering[Int] = derive[Int]
  def apply(name: String): User[Int] = ???
}

sealed trait Named { def name: String }

enum Color(val code: Int) derives Show {
  case Red extends Color(1)
  case Green, Blue
}

extension (text: String)
  def shout: String = text.toUpperCase
  def whisper: String = text

def top(x: Int): Int = x
