#include <stdio.h>
#include "shop.h"

#define LIMIT 10
#define MAX(a, b) ((a) > (b) ? (a) : (b))
BEGIN_DECLS

/* A shop. */
struct shop {
    int price, *prices;
    char name[20];
    void (*sell)(int);
};

typedef struct { int x; } point_t;
typedef struct node { struct node *next; } node_t;
typedef int (*handler_t)(int);
enum color { RED, GREEN = 2 };
union bits { int i; };

extern const char *names[];
static int count = 0;

int prototype(int a);

/**
 * Sells.
 */
static char *sell(struct shop *s, point_t p)
{
    int local = 1;
    run(s);
    s->close(p);
    return (char *)0;
}

API_EXPORT int exported(void) { return 0; }
