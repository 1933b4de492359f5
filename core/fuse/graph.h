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
} FuseGraph;

/* The edges of all nodes. Requires the nodes' statements. */
void fuse_graph_edges(FuseGraph *g);

#endif
