package shop.core

import shop.store.Disk
import shop.store.*

/** A person. */
@Entity("users")
open class User<T>(val name: String, private var age: Int, plain: Int) : Base(plain), Named {
  companion object {
    const val LIMIT = 10
    fun create(): User<Int> = User("x", 1, 2)
  }

  private val store: Disk by lazy { Disk.open(name) }

  constructor(name: String) : this(name, 0, 0)

  /** Greets. */
  override fun greet(other: User<T>): Reply? {
    val local = 1
    other.answer(local)
    return null
  }

  internal fun hidden() {}
}

sealed interface Named {
  fun greet(other: User<Int>): Reply?
}

enum class Color(val code: Int) {
  RED(1),
  GREEN(2);

  fun dark() = Color.RED
}

object Registry {
  fun all() {}
}

typealias Reader = (String) -> Unit

fun String.shout(): String = uppercase()

val String.half: Int get() = length / 2

fun top() {
  fun inner() {}
}
