/* `tailor explain`: its text and its graphs. */
#ifndef DRIVER_EXPLAIN_H
#define DRIVER_EXPLAIN_H

#include "driver/compile.h"

/* "12:7", or "12" where only the line matters; "?" where there is no place. */
const char *explain_place(Compilation *c, Span span);
/* The text of a span on one line, at most `columns` wide. */
const char *explain_fragment(Compilation *c, Span span, int columns);
/* Both data-flow graphs in the language of Graphviz (explain_graph.c). */
void explain_graphs(Pipeline *p, Text *out);
/* The graph drawn by `dot`, to a file or (path NULL) standard output. False after a message. */
bool explain_draw(Compilation *c, const char *path, const char *graph, size_t length);

#endif
