/* The data-flow graph of a body, between the files that make it (edges.c) and reduce it (graph.c). */
#ifndef CORE_FUSE_GRAPH_H
#define CORE_FUSE_GRAPH_H

#include "core/fuse/fuse.h"

typedef struct FuseEdge {
    size_t to;      /* a node that comes before */
    bool rows;      /* its mapped results are inputs, and nothing else of it is used */
    CoreReason why; /* not rows */
} FuseEdge;

typedef struct FuseNode {
    const CoreStm *stm;
    size_t parent; /* union-find: a node that it has become one with */
    VEC(FuseEdge) before;
    FuseNest nest;
    bool is_soac, is_scan;
    VEC(size_t) members; /* of a stream or pair: numbers of the statements that have become one */
    size_t users;        /* nodes that use something of it, the body's results as one */
    size_t last_user;    /* 1 + the last one that was counted */
    unsigned stamp;
} FuseNode;

typedef struct FuseOrder {
    const Fact *class;
    size_t writer;       /* the last node that may write one of its arrays; SIZE_MAX: none */
    VEC(size_t) readers; /* nodes that mention one of them since */
} FuseOrder;

/* An extent of arrays of the body. */
typedef struct FuseExtent {
    const CoreName *name;
    size_t checks; /* how many assertions of the body stand before the first of them */
} FuseExtent;

typedef struct FuseGraph {
    Fuse *f;
    const CoreBody *body;
    FuseNode *nodes;
    size_t count;
    unsigned stamp;
    size_t steps;     /* of the present search */
    size_t all_steps; /* of all searches of the body */
    VEC(size_t) stack;
    size_t node; /* whose edges are being made */
    bool merged;
    PointerMap binders; /* CoreName -> FuseNode that binds it */
    const CoreStm *inside_of;
    CoreNameMap inside;    /* names that this SOAC uses, not counting its inputs */
    bool writes;           /* the node at work may, in place */
    VEC(FuseOrder) orders; /* of arrays that are consumed */
    VEC(size_t) checks;    /* nodes that assert, so far */
    size_t reliance;       /* on how many of them the node at work may rely, from the first */
    bool by_the_way;       /* what they say by the way is something, too */
    CoreNameMap extents;   /* FuseExtent */
} FuseGraph;

/* The edges of all nodes. Requires the nodes' statements. */
void fuse_graph_edges(FuseGraph *g);
/* fits.c: why two nodes' SOACs or streams do not become one, CORE_REASON_NONE: they may; whether they may, where one takes rows of
   the other, and where they read one array; what the function of a SOAC or stream does. */
CoreReason fuse_fitness(Fuse *f, const FuseNode *a, const FuseNode *b);
bool fuse_fit(Fuse *f, const FuseNode *a, const FuseNode *b);
bool fuse_fit_beside(Fuse *f, const FuseNode *a, const FuseNode *b);
const CoreBody *fuse_function_body(const CoreStm *stm);
/* stages.c: what fails first in two SOACs or streams can be told where they are one. */
bool fuse_keep_order(const CoreStm *a, const CoreStm *b);
/* [pairs.c] Two that stay as they are beside each other, for one kernel or loop; or a third comes to a pair: a scatter, the
   map whose rows it takes, and the scan whose kernel does all. */
bool fuse_fit_as_pair(const FuseGraph *g, const FuseNode *a, const FuseNode *b);
/* launches.c: two SOACs that neither takes something of the other, for one kernel; what may stand between them. */
bool fuse_fit_in_launch(const CoreStm *a, const CoreStm *b);
bool fuse_makes_no_array(const CoreStm *stm);
/* nest_pairs.c: a nest of scans, and one that maps what these make; one of the two. */
bool fuse_is_nest_pair(const CoreStm *first, const CoreStm *second);
bool fuse_may_be_nest_pair(const CoreStm *stm);
/* All that the map's function does with its rows is that the inner map takes their elements. */
bool fuse_takes_elements(const CoreStm *map, const CoreStm *inner);
/* [checks.c] The last assertion that the statement of this node may rely on; SIZE_MAX: none. For each node in turn. */
size_t fuse_check_before(FuseGraph *g, size_t node);
/* The name is of an array that is there before the body is, and so are its extents. */
void fuse_note_outer(FuseGraph *g, const CoreName *name);

#endif
