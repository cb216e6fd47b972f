/* A list. */
#include <stdlib.h>
#include "list.h"

#ifndef LIST_MAX
#define LIST_MAX 10
#endif
#define SQUARE(x) ((x) * (x))
#define MULTI(a, b) \
    do { \
        (a) = (b); \
    } while (0)

typedef unsigned long ulong_t;
typedef int (*compare_fn)(const void *a, const void *b);

/* A node. */
struct node {
    struct node *next;
    void *data; /* what it holds */
};

typedef struct list {
    struct node *head;
    size_t len;
} list_t;

typedef struct {
    int x, y;
} point;

enum color { RED, GREEN };

union value {
    int i;
    float f;
};

static const char *const NAMES[] = { "a", "b" };
int list_count = 0;
extern int verbose;
static int (*handler)(int) = NULL;

static int compare(const void *a, const void *b);
list_t *list_new(void);
struct node *list_find(list_t *list, compare_fn match);

/*
 * Makes a list.
 */
list_t *list_new(void)
{
    static int made = 0;
    struct node local = { 0 };
    list_t *list = malloc(sizeof(*list));
    made++;
    return list;
}

static inline __attribute__((unused)) int
compare(const void *a, /* left */
        const void *b)
{
    return 0;
}

#ifdef DEBUG
void list_dump(list_t *list)
{
    (void)list;
}
#else
void list_dump(list_t *list) { }
#endif

int (*get_handler(void))(int)
{
    return handler;
}

struct node *list_find(list_t *list, compare_fn match) {
    for (struct node *n = list->head; n; n = n->next) {
        if (match(n->data, NULL) == 0)
            return n;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    return 0;
}
