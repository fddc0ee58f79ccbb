/* A layered drawing of a graph, for the page of --report. */
#pragma once

#include "edges.h"

typedef struct Point {
    int x, y;
} Point;

/* The line of an edge: where it bends, first and last point being those of its ends. */
typedef struct Line {
    Point *point;
    uint32_t n;
} Line;

typedef struct Drawing {
    Point *middle; /* by node: of the box */
    Line *line;    /* by edge */
    int width, height;
} Drawing;

enum { BOX_HEIGHT = 44, ROW_HEIGHT = 84, BOX_GAP = 28, LINE_GAP = 16 };

/* Nodes stand below all that they read from, in rows; boxes of a row do not overlap. The same graph gives the same drawing. Edges go from
 * lower to higher numbers. */
Drawing draw_layered(Arena *arena, uint32_t n_nodes, const int *widths, const Edges *edges);
