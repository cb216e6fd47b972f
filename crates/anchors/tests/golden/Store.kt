@file:JvmName("Stores")

package org.example.store

import kotlin.math.max

/** How many. */
const val MAX_ITEMS = 10

private val cache: MutableMap<String, Item> by lazy { mutableMapOf() }
var counter = 0
    private set

typealias Handler = (Item) -> Unit

/**
 * An item.
 */
@Serializable
data class Item(
    val id: String,
    var count: Int = 0,
) : Comparable<Item> {
    val label: String
        get() = "$id: $count"

    init {
        require(count >= 0)
    }

    constructor(id: String, text: String) : this(id, text.toInt())

    override fun compareTo(other: Item): Int = count - other.count

    companion object {
        const val EMPTY = ""

        @JvmStatic
        fun parse(text: String): Item {
            val local = text.trim()
            fun helper() = local
            return Item(helper())
        }
    }

    inner class Cursor {
        fun next() {}
    }
}

sealed interface Event {
    val time: Long

    data class Added(val item: Item, override val time: Long) : Event
    data object Cleared : Event {
        override val time = 0L
    }

    fun describe(): String
}

enum class Level(val weight: Int) {
    LOW(1),
    HIGH(2) {
        override fun next() = LOW
    };

    open fun next(): Level = HIGH
}

object Registry : Closeable {
    private val items = mutableListOf<Item>()

    override fun close() {
        items.clear()
    }
}

// An extension.
fun String.shout(): String = uppercase()

fun <T : Any> List<T>.second(): T? {
    return getOrNull(1)
}

val String.size2: Int
    get() = length * 2

@Deprecated("x")
suspend inline fun <reified T> load(
    key: String, // which
    crossinline parse: (String) -> T,
): T where T : Any {
    return parse(key)
}

class StoreTest {
    @Test
    fun `adds 1.5 items to a store`() {
        assertEquals(1, 1)
    }
}

fun interface Visitor {
    fun visit(item: Item)
}

fun größe() {}
