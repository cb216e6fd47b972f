package org.example.library;

import java.util.List;

/**
 * A library.
 */
@Deprecated
@SuppressWarnings({"unchecked", "rawtypes"})
public abstract class Library<T extends Comparable<T>> extends Base implements Closeable, Iterable<T> {

    /** How many. */
    public static final int MAX_BOOKS = 100;
    private final List<Book> books = new ArrayList<>(), lent = List.of();
    protected String name; // its name

    static {
        System.loadLibrary("x");
    }

    /** Makes one. */
    public Library(String name) {
        this.name = name;
    }

    protected Library() {
        this("none");
    }

    @Override
    public void close() throws IOException {
        Runnable task = () -> books.clear();
        final int local = 1;
        class Helper {
            void help() {}
        }
        new Thread() {
            @Override
            public void run() {}
        }.start();
    }

    public void add(Book book) {
        books.add(book);
    }

    public void add(Book book, int count) {
        for (int i = 0; i < count; i++) {
            add(book);
        }
    }

    abstract <R> R accept(
        Visitor<R> visitor, // who comes
        int depth
    );

    public String name() {
        return name;
    }

    private static class Shelf {
        int width;

        class Row {
            void sort() {}
        }
    }

    public enum Genre implements Named {
        FICTION("f") {
            @Override
            public String label() {
                return "x";
            }
        },
        SCIENCE("s");

        private final String code;

        Genre(String code) {
            this.code = code;
        }

        public String label() {
            return code;
        }
    }

    public sealed interface Visitor<R> permits Printer {
        int DEPTH = 3;

        R visit(Book book);

        default R visitAll(List<Book> books) {
            return null;
        }
    }
}

record Book(String title, int pages) implements Comparable<Book> {
    Book {
        if (pages < 0) throw new IllegalArgumentException();
    }

    static Book empty() {
        return new Book("", 0);
    }

    @Override
    public int compareTo(Book other) {
        return 0;
    }
}

@interface Audited {
    String value() default "";
    int level() default 1;
}
