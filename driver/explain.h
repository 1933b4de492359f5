/* `tailor explain`: its text and its graphs. */
#ifndef DRIVER_EXPLAIN_H
#define DRIVER_EXPLAIN_H

#include "driver/compile.h"

/* ---- explain_text.c -------------------------------------------------------------------------- */

enum { EXPLAIN_COLUMNS = 8 };

typedef struct ExplainRow {
    const char *cells[EXPLAIN_COLUMNS];
} ExplainRow;

/* Rows of cells, printed in columns as wide as their widest cell. */
typedef struct ExplainTable {
    Compilation *c;
    int columns, indent;
    unsigned right; /* bit k: column k is aligned on the right */
    VEC(ExplainRow) rows;
} ExplainTable;

/* Columns that a text takes in a terminal. */
int explain_width(const char *text);
/* Once each: programs say the same thing at several places. */
void explain_add_row(ExplainTable *table, ExplainRow row);
void explain_print_table(const ExplainTable *table, Text *out);

/* As much of a line of the source as is shown. */
enum { EXPLAIN_LINE = 84 };

/* "12:7"; "?" where there is no place. */
const char *explain_place(Compilation *c, Span span);
/* The text of a span on one line, at most `columns` wide. */
const char *explain_fragment(Compilation *c, Span span, int columns);
/* The line with that number of the span's file, without the blanks that it begins with. */
Span explain_line(Span span, unsigned number);
/* "  12  board ← (n n)⍴...": the line that the span begins in. */
void explain_print_line(Compilation *c, Text *out, Span span, int indent);

/* ---- explain_copies.c ------------------------------------------------------------------------ */

/* Who makes the arrays of a program, and how often each is used. */
typedef struct ExplainArrays ExplainArrays;
ExplainArrays *explain_arrays(Compilation *c, const CoreProgram *program);
/* Of a kernel or copy: what it copies, and why; nothing, where it is none. */
void explain_copied(Compilation *c, Text *out, const ExplainArrays *arrays, KernelCopied copied,
                    int indent);

/* ---- explain_conditions.c -------------------------------------------------------------------- */

/* The condition of an IF of the host, such as "n > 0". */
const char *explain_condition(Compilation *c, const KernelProgram *program,
                              const KernelEntry *entry, const KernelCmd *command);

/* ---- explain_kernels.c, explain_graph.c ------------------------------------------------------ */

void explain_kernels(Pipeline *p, Text *out);
/* Both data-flow graphs in the language of Graphviz. */
void explain_graphs(Pipeline *p, Text *out);
/* The graph drawn by `dot`, to a file or (path NULL) standard output. False after a message. */
bool explain_draw(Compilation *c, const char *path, const char *graph, size_t length);

#endif
