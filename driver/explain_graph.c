/* `tailor explain --dot` and `--svg`: the program's data flow before and after fusion, as two
   clusters of one graph for Graphviz.

       digraph {
         subgraph cluster_0 { label="before fusion"  b1 [label="map\n3:5  ⍳n"]  b1 -> b2 ... }
         subgraph cluster_1 { label="after fusion" ... } }

   Nodes are what makes arrays, and effects; an edge leads from a maker to whoever reads its array,
   through views (the edge names them) or scalars (dashed). Loops and branches of the host are boxes
   around what is inside; what a loop hands to its next iteration comes back by a dotted edge. */
#include "driver/explain.h"
#include "driver/files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* What stands behind a name: the statement that binds it, or what a parameter of a loop begins
   with. */
typedef struct Meaning {
    const CoreStm *stm;
    size_t node; /* of that statement, from 1; 0: it is none */
    CoreAtom initial;
    bool is_state;
} Meaning;

typedef struct Graph {
    Compilation *c;
    Text *out;
    const char *prefix; /* of node names */
    Meaning *meanings;  /* by number of the name */
    size_t count;       /* of meanings */
    size_t nodes, boxes;
    size_t reader;   /* the node whose edges are drawn */
    unsigned *drawn; /* by node: the reader that has an edge from it already */
    size_t drawn_count;
    Text edges;
    int indent, steps;
} Graph;

static bool is_node(const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    switch ((int)exp->kind) { /* the others are views, scalars, loops and branches */
    case CORE_EXP_SOAC:
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER:
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST:
    case CORE_EXP_ORDER:
    case CORE_EXP_DIGIT_SORT:
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ:
    case CORE_EXP_COPY:
    case CORE_EXP_UPDATE:
    case CORE_EXP_READ:
    case CORE_EXP_FORMAT:
    case CORE_EXP_PRINT:
    case CORE_EXP_PRINT_COMPLEX: return true;
    }
    return false;
}

static void line(Graph *g, const char *text)
{
    text_spaces(g->out, 2 * g->indent);
    text_printf(g->out, "%s\n", text);
}

/* A text inside a label. */
static const char *quoted(Compilation *c, const char *text)
{
    Text quoted = text_create(c->arena);
    for (const char *at = text; *at; at++) {
        if (*at == '"' || *at == '\\') {
            text_char(&quoted, '\\');
        }
        text_char(&quoted, *at);
    }
    return text_get(&quoted);
}

static const char *label(Graph *g, const char *kind, Span span)
{
    enum { COLUMNS = 40 };
    if (!span.file) {
        return kind;
    }
    return arena_printf(g->c->arena, "%s\\n%s  %s", kind, explain_place(g->c, span),
                        quoted(g->c, explain_fragment(g->c, span, COLUMNS)));
}

/* ---- edges ----------------------------------------------------------------------------------- */

static void draw_edge(Graph *g, size_t from, const char *style)
{
    while (g->drawn_count <= g->nodes) {
        size_t count = g->drawn_count > 0 ? 2 * g->drawn_count : 64;
        unsigned *drawn = ARENA_ARRAY(g->c->arena, unsigned, count);
        memset(drawn, 0, count * sizeof *drawn);
        if (g->drawn_count > 0) {
            memcpy(drawn, g->drawn, g->drawn_count * sizeof *drawn);
        }
        g->drawn = drawn;
        g->drawn_count = count;
    }
    if (g->drawn[from] != g->reader) {
        g->drawn[from] = (unsigned)g->reader;
        text_printf(&g->edges, "  %s%zu -> %s%zu%s\n", g->prefix, from, g->prefix, g->reader,
                    style);
    }
}

static void draw_from(Graph *g, CoreAtom atom, const char *view, bool scalar);

typedef struct From {
    Graph *g;
    const char *view;
    bool scalar;
} From;

static void draw_operand(void *context, CoreAtom atom)
{
    const From *from = context;
    draw_from(from->g, atom, from->view, from->scalar);
}

static void draw_results(Graph *g, const CoreStm *stm, const CoreName *name, const char *view,
                         bool scalar)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (stm->pattern[k] != name) {
            continue;
        }
        if (stm->exp->kind == CORE_EXP_LOOP) {
            draw_from(g, stm->exp->as.loop.body->results[k], view, scalar);
        } else {
            draw_from(g, stm->exp->as.conditional.then_body->results[k], view, scalar);
            draw_from(g, stm->exp->as.conditional.else_body->results[k], view, scalar);
        }
    }
}

/* Edges from whatever makes the atom, through views and scalars. */
static void draw_from(Graph *g, CoreAtom atom, const char *view, bool scalar)
{
    enum { MOST_STEPS = 2000 };
    if (!atom.name || atom.name->number >= g->count || g->steps++ > MOST_STEPS) {
        return;
    }
    const Meaning *meaning = &g->meanings[atom.name->number];
    scalar = scalar || atom.name->type.rank == 0;
    if (meaning->node == g->reader) {
        return;
    }
    if (meaning->node > 0) {
        const char *style = scalar ? " [style=dashed]"
                            : view ? arena_printf(g->c->arena, " [label=\"%s\"]", view)
                                   : "";
        draw_edge(g, meaning->node, style);
    } else if (meaning->is_state) {
        draw_from(g, meaning->initial, view, scalar);
    } else if (meaning->stm && (meaning->stm->exp->kind == CORE_EXP_LOOP ||
                                meaning->stm->exp->kind == CORE_EXP_IF)) {
        draw_results(g, meaning->stm, atom.name, view, scalar);
    } else if (meaning->stm) {
        CoreExpKind kind = meaning->stm->exp->kind;
        bool is_view = core_is_view(kind) && meaning->stm->pattern[0]->type.rank > 0;
        From from = {g, view, scalar};
        if (is_view && kind != CORE_EXP_INDEX) {
            const char *name = core_stm_kind(g->c, meaning->stm);
            from.view = view ? arena_printf(g->c->arena, "%s, %s", name, view) : name;
        }
        if (is_view || kind == CORE_EXP_ATOM || kind == CORE_EXP_UNARY || kind == CORE_EXP_BINARY ||
            kind == CORE_EXP_CONVERT || kind == CORE_EXP_INDEX || kind == CORE_EXP_LITERAL) {
            core_each_operand(meaning->stm->exp, draw_operand, &from);
        }
    }
}

static void draw_free(void *context, CoreName *name)
{
    Graph *g = context;
    g->steps = 0;
    draw_from(g, core_use(name), NULL, false);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void draw_body(Graph *g, const CoreBody *body);

static void note(Graph *g, const CoreName *name, Meaning meaning)
{
    if (name->number < g->count) {
        g->meanings[name->number] = meaning;
    }
}

static void open_box(Graph *g, const char *kind, Span span)
{
    line(g, arena_printf(g->c->arena, "subgraph cluster_%s%zu {", g->prefix, ++g->boxes));
    g->indent++;
    line(g, arena_printf(g->c->arena, "label=\"%s\"", label(g, kind, span)));
}

static void close_box(Graph *g)
{
    g->indent--;
    line(g, "}");
}

static void draw_loop(Graph *g, const CoreStm *stm)
{
    const CoreExp *loop = stm->exp;
    for (size_t i = 0; i < loop->as.loop.parameter_count; i++) {
        note(g, loop->as.loop.parameters[i],
             (Meaning){.initial = loop->as.loop.initial[i], .is_state = true});
    }
    open_box(g, "loop", stm->span);
    size_t first = g->nodes;
    draw_body(g, loop->as.loop.body);
    close_box(g);
    for (size_t i = 0; i < loop->as.loop.body->result_count; i++) {
        CoreAtom result = loop->as.loop.body->results[i];
        size_t node = result.name && result.name->number < g->count
                          ? g->meanings[result.name->number].node
                          : 0;
        if (node > first && result.name->type.rank > 0) {
            text_printf(&g->edges, "  %s%zu -> %s%zu [style=dotted, constraint=false]\n", g->prefix,
                        node, g->prefix, first + 1);
        }
    }
}

static void draw_stm(Graph *g, const CoreStm *stm)
{
    bool node = is_node(stm);
    if (node) {
        g->nodes++;
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        note(g, stm->pattern[k], (Meaning){.stm = stm, .node = node ? g->nodes : 0});
    }
    if (node) {
        line(g, arena_printf(g->c->arena, "%s%zu [label=\"%s\"]", g->prefix, g->nodes,
                             label(g, core_stm_kind(g->c, stm), stm->span)));
        g->reader = g->nodes;
        core_each_free(stm, draw_free, g);
    } else if (stm->exp->kind == CORE_EXP_LOOP) {
        draw_loop(g, stm);
    } else if (stm->exp->kind == CORE_EXP_IF) {
        size_t before = g->nodes;
        size_t start = g->out->length;
        open_box(g, "branch", stm->span);
        draw_body(g, stm->exp->as.conditional.then_body);
        draw_body(g, stm->exp->as.conditional.else_body);
        close_box(g);
        if (g->nodes == before) { /* scalars alone: no box */
            g->out->length = start;
            g->out->bytes[start] = '\0';
        }
    }
}

static void draw_body(Graph *g, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        draw_stm(g, body->stms[i]);
    }
}

static void draw_program(Compilation *c, Text *out, const CoreProgram *program, const char *prefix,
                         const char *title, size_t number)
{
    Graph g = {.c = c, .out = out, .prefix = prefix, .count = c->last_number + 1, .indent = 1};
    g.meanings = ARENA_ARRAY(c->arena, Meaning, g.count);
    g.edges = text_create(c->arena);
    line(&g, arena_printf(c->arena, "subgraph cluster_%zu {", number));
    g.indent++;
    line(&g, arena_printf(c->arena, "label=\"%s\"", title));
    for (size_t i = 0; i < program->function_count; i++) {
        const CoreFunction *function = program->functions[i];
        if (program->function_count > 1) {
            const char *kind = function->is_entry ? "entry" : "function";
            open_box(&g, arena_printf(c->arena, "%s %s", kind, function->name), NO_SPAN);
        }
        draw_body(&g, function->body);
        if (program->function_count > 1) {
            close_box(&g);
        }
    }
    g.indent--;
    line(&g, "}");
    text_append(out, text_get(&g.edges), g.edges.length);
}

void explain_graphs(Pipeline *p, Text *out)
{
    text_printf(out, "digraph \"%s\" {\n", quoted(p->c, p->program_name));
    text_string(out, "  compound=true\n  node [shape=box, style=rounded, fontname=\"monospace\"]\n"
                     "  edge [fontname=\"monospace\"]\n");
    draw_program(p->c, out, p->before_fusion, "b", "before fusion", 0);
    draw_program(p->c, out, p->after_fusion, "a", "after fusion", 1);
    text_string(out, "}\n");
}

/* ---- pictures -------------------------------------------------------------------------------- */

static bool write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, text, length);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        text += written;
        length -= (size_t)written;
    }
    return true;
}

/* `dot` with the graph as its input. False where it cannot run or fails; `problem`: errno, or 0. */
static bool run_dot(const char *path, const char *graph, size_t length, int *problem)
{
    char *const argv[] = {(char[]){"dot"}, (char[]){"-Tsvg"}, NULL};
    int ends[2], status = 0;
    pid_t child;
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0) {
        *problem = errno;
        return false;
    }
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    if (path) {
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, path, O_WRONLY | O_TRUNC, 0666);
    }
    *problem = posix_spawnp(&child, "dot", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (*problem != 0) {
        close(ends[1]);
        return false;
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    sigaction(SIGPIPE, &ignore, &old);
    bool ok = write_all(ends[1], graph, length);
    close(ends[1]);
    sigaction(SIGPIPE, &old, NULL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return ok && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool explain_draw(Compilation *c, const char *path, const char *graph, size_t length)
{
    const char *temporary = path ? files_begin(c, path) : NULL;
    int problem = 0;
    if (path && !temporary) {
        return false;
    }
    if (run_dot(temporary, graph, length, &problem)) {
        return !path || files_finish(temporary, path, false);
    }
    if (problem != 0) {
        fprintf(stderr,
                "tailor: cannot run 'dot': %s (it is part of Graphviz; --dot writes the graph "
                "without it)\n",
                strerror(problem));
    } else {
        fprintf(stderr, "tailor: 'dot' failed\n");
    }
    if (path) {
        files_abandon(temporary, path);
    }
    return false;
}
