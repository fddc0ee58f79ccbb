/* A layered drawing in the manner of Sugiyama, Tagawa and Toda ("Methods for visual understanding of hierarchical system structures",
 * 1981): rows by the longest way from a source, an order in each row with few crossings, and then places.
 *
 * An edge over several rows has a joint in each row between. All edges of one node share their joints, so that what many read is one line
 * with branches. Where that would still be too many joints, the lines of that node go straight behind the boxes.
 *
 * Orders: each row is sorted by where its neighbours in the row before stand on average, downwards and upwards in turn. Places: each box
 * wants to be where its neighbours are, and the sum of squared distances is least where boxes keep their order and distance; for one row
 * that is a monotone regression, which pooling neighbours solves exactly. */
#include "drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SORTS = 8, MOVES = 16, MOST_JOINTS = 100000 };

/* A box or a joint. */
typedef struct Item {
    uint32_t row, place; /* in the row */
    double x, width, weight;
    double wish;
} Item;

typedef struct Links {
    uint32_t *start, *to; /* by item: where its neighbours begin in `to` */
} Links;

typedef struct Row {
    uint32_t *item, n;
} Row;

typedef struct Layers {
    Arena *arena;
    const Edges *edges;
    Item *items;
    uint32_t n_nodes, n_items, n_rows;
    uint32_t *joint; /* by node: the first of its joints, one for each row below */
    uint32_t *end;   /* by node: the row of the last that reads from it */
    Row *rows;
    Links up, down;
} Layers;

/* --- rows ------------------------------------------------------------------------------------------------------------ */

static void choose_rows(Layers *l)
{
    const Edges *e = l->edges;
    bool *reads = ARENA_ARRAY(l->arena, bool, l->n_nodes + 1);
    uint32_t *first = ARENA_ARRAY(l->arena, uint32_t, l->n_nodes + 1);
    memset(first, 0xff, l->n_nodes * sizeof *first);
    for (size_t i = 0; i < e->n;
         i++) { /* readers come in their order, so that those before are done */
        Item *to = &l->items[e->edge[i].to];
        const uint32_t row = l->items[e->edge[i].from].row + 1;
        to->row = row > to->row ? row : to->row;
        reads[e->edge[i].to] = true;
    }
    for (size_t i = e->n; i > 0; i--) {
        const Edge *edge = &e->edge[i - 1];
        const uint32_t row = l->items[edge->to].row;
        first[edge->from] = row < first[edge->from] ? row : first[edge->from];
    }
    for (uint32_t i = 0; i < l->n_nodes; i++) /* what reads nothing stands above its first reader */
        if (!reads[i] && first[i] != UINT32_MAX)
            l->items[i].row = first[i] - 1;
    for (uint32_t i = 0; i < l->n_nodes; i++)
        l->n_rows = l->items[i].row >= l->n_rows ? l->items[i].row + 1 : l->n_rows;
}

static void add_joints(Layers *l)
{
    for (uint32_t i = 0; i < l->n_nodes; i++)
        l->end[i] = l->items[i].row;
    for (size_t i = 0; i < l->edges->n; i++) {
        const Edge *e = &l->edges->edge[i];
        const uint32_t row = l->items[e->to].row;
        l->end[e->from] = row > l->end[e->from] ? row : l->end[e->from];
    }
    uint32_t n = l->n_nodes;
    for (uint32_t i = 0; i < l->n_nodes; i++) {
        const uint32_t rows = l->end[i] - l->items[i].row;
        l->joint[i] = NO_ROW;
        if (rows < 2 || n - l->n_nodes + rows > MOST_JOINTS)
            continue;
        l->joint[i] = n;
        n += rows - 1;
    }
    Item *items = ARENA_ARRAY(l->arena, Item, n + 1);
    memcpy(items, l->items, l->n_nodes * sizeof *items);
    l->items = items;
    l->n_items = n;
    for (uint32_t i = 0; i < l->n_nodes; i++)
        for (uint32_t r = l->items[i].row + 1; l->joint[i] != NO_ROW && r < l->end[i]; r++)
            l->items[l->joint[i] + r - l->items[i].row - 1] =
                (Item){.row = r, .width = LINE_GAP, .weight = 4};
}

/* --- neighbours ------------------------------------------------------------------------------------------------------ */

/* The item in the row above `to` that the line of edge e comes from; NO_ROW: it has no joints. */
static uint32_t item_above(const Layers *l, const Edge *e)
{
    const uint32_t rows = l->items[e->to].row - l->items[e->from].row;
    return rows == 1                     ? e->from
           : l->joint[e->from] == NO_ROW ? NO_ROW
                                         : l->joint[e->from] + rows - 2;
}

typedef struct Pair {
    uint32_t above, below;
} Pair;

static Links links_of(Layers *l, const Pair *pairs, size_t n, bool down)
{
    Links k = {ARENA_ARRAY(l->arena, uint32_t, l->n_items + 2),
               ARENA_ARRAY(l->arena, uint32_t, n + 1)};
    for (size_t i = 0; i < n; i++)
        k.start[(down ? pairs[i].above : pairs[i].below) + 2]++;
    for (uint32_t i = 2; i < l->n_items + 2; i++)
        k.start[i] += k.start[i - 1];
    for (size_t i = 0; i < n; i++)
        k.to[k.start[(down ? pairs[i].above : pairs[i].below) + 1]++] =
            down ? pairs[i].below : pairs[i].above;
    return k;
}

static void link_items(Layers *l)
{
    Pair *pairs = ARENA_ARRAY(l->arena, Pair, l->edges->n + l->n_items + 1);
    size_t n = 0;
    for (uint32_t i = 0; i < l->n_nodes; i++)
        for (uint32_t r = l->items[i].row + 1, k = l->joint[i]; k != NO_ROW && r < l->end[i];
             r++, k++)
            pairs[n++] = (Pair){r == l->items[i].row + 1 ? i : k - 1, k};
    for (size_t i = 0; i < l->edges->n; i++) {
        const uint32_t above = item_above(l, &l->edges->edge[i]);
        if (above != NO_ROW)
            pairs[n++] = (Pair){above, l->edges->edge[i].to};
    }
    l->up = links_of(l, pairs, n, false);
    l->down = links_of(l, pairs, n, true);
}

static void fill_rows(Layers *l)
{
    l->rows = ARENA_ARRAY(l->arena, Row, l->n_rows + 1);
    for (uint32_t i = 0; i < l->n_items; i++)
        l->rows[l->items[i].row].n++;
    for (uint32_t r = 0; r < l->n_rows; r++) {
        l->rows[r].item = ARENA_ARRAY(l->arena, uint32_t, l->rows[r].n + 1);
        l->rows[r].n = 0;
    }
    for (uint32_t i = 0; i < l->n_items; i++) {
        Row *row = &l->rows[l->items[i].row];
        l->items[i].place = row->n;
        row->item[row->n++] = i;
    }
}

/* --- orders ---------------------------------------------------------------------------------------------------------- */

typedef struct Sorted {
    double key;
    uint32_t item, place;
} Sorted;

static int by_key(const void *x, const void *y)
{
    const Sorted *a = x, *b = y;
    const int order = (a->key > b->key) - (a->key < b->key);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

static void sort_row(Layers *l, Row *row, const Links *links, Sorted *sorted)
{
    for (uint32_t i = 0; i < row->n; i++) {
        const uint32_t id = row->item[i], begin = links->start[id], end = links->start[id + 1];
        double sum = 0;
        for (uint32_t k = begin; k < end; k++)
            sum += l->items[links->to[k]].place;
        sorted[i] = (Sorted){begin == end ? i : sum / (end - begin), id, i};
    }
    qsort(sorted, row->n, sizeof *sorted, by_key);
    for (uint32_t i = 0; i < row->n; i++) {
        row->item[i] = sorted[i].item;
        l->items[sorted[i].item].place = i;
    }
}

static void sort_rows(Layers *l)
{
    Sorted *sorted = ARENA_ARRAY(l->arena, Sorted, l->n_items + 1);
    for (int i = 0; i < SORTS; i++) {
        for (uint32_t r = 1; r < l->n_rows; r++)
            sort_row(l, &l->rows[r], &l->up, sorted);
        for (uint32_t r = l->n_rows - 1; r > 0; r--)
            sort_row(l, &l->rows[r - 1], &l->down, sorted);
    }
    for (uint32_t r = 1; r < l->n_rows; r++)
        sort_row(l, &l->rows[r], &l->up, sorted);
}

/* --- places ---------------------------------------------------------------------------------------------------------- */

/* Neighbouring items that stand as close as they may, together where they want to be on average. */
typedef struct Pool {
    double sum, weight;
    uint32_t n;
} Pool;

static double distance(const Item *a, const Item *b)
{
    return (a->width + b->width) / 2 + (a->weight < 2 && b->weight < 2 ? BOX_GAP : LINE_GAP);
}

static void place_row(Layers *l, const Row *row, Pool *pools)
{
    uint32_t n = 0;
    double offset = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        const Item *item = &l->items[row->item[i]];
        offset += i ? distance(&l->items[row->item[i - 1]], item) : 0;
        pools[n++] = (Pool){(item->wish - offset) * item->weight, item->weight, 1};
        while (n > 1 &&
               pools[n - 2].sum / pools[n - 2].weight > pools[n - 1].sum / pools[n - 1].weight) {
            pools[n - 2].sum += pools[n - 1].sum;
            pools[n - 2].weight += pools[n - 1].weight;
            pools[n - 2].n += pools[n - 1].n;
            n--;
        }
    }
    offset = 0;
    for (uint32_t k = 0, i = 0; k < n; k++)
        for (uint32_t end = i + pools[k].n; i < end; i++) {
            Item *item = &l->items[row->item[i]];
            offset += i ? distance(&l->items[row->item[i - 1]], item) : 0;
            item->x = pools[k].sum / pools[k].weight + offset;
        }
}

/* Joints hold to joints, so that long lines are straight. */
static void add_wishes(const Layers *l, uint32_t id, const Links *links, double *sum,
                       double *weight)
{
    for (uint32_t k = links->start[id]; k < links->start[id + 1]; k++) {
        const Item *other = &l->items[links->to[k]];
        const double w = l->items[id].weight * other->weight;
        *sum += w * other->x;
        *weight += w;
    }
}

static void move_row(Layers *l, const Row *row, bool above, bool below, Pool *pools)
{
    for (uint32_t i = 0; i < row->n; i++) {
        const uint32_t id = row->item[i];
        double sum = 0, weight = 0;
        if (above)
            add_wishes(l, id, &l->up, &sum, &weight);
        if (below)
            add_wishes(l, id, &l->down, &sum, &weight);
        l->items[id].wish = weight > 0 ? sum / weight : l->items[id].x;
    }
    place_row(l, row, pools);
}

static void choose_places(Layers *l)
{
    Pool *pools = ARENA_ARRAY(l->arena, Pool, l->n_items + 1);
    for (uint32_t r = 0; r < l->n_rows; r++)
        place_row(l, &l->rows[r], pools); /* side by side, around 0 */
    for (int i = 0; i < MOVES; i++) {
        const bool both = i >= MOVES / 2;
        for (uint32_t r = 0; r < l->n_rows; r++)
            move_row(l, &l->rows[r], true, both, pools);
        for (uint32_t r = l->n_rows; r > 0; r--)
            move_row(l, &l->rows[r - 1], both, true, pools);
    }
}

/* --- the result ------------------------------------------------------------------------------------------------------ */

static Point point_of(const Layers *l, uint32_t id, double left)
{
    const Item *item = &l->items[id];
    return (Point){(int)lround(item->x - left), (int)item->row * ROW_HEIGHT + ROW_HEIGHT / 2};
}

static Line line_of(const Layers *l, const Edge *e, double left)
{
    const uint32_t first = l->joint[e->from],
                   joints = first == NO_ROW ? 0 : l->items[e->to].row - l->items[e->from].row - 1;
    Line line = {ARENA_ARRAY(l->arena, Point, joints + 2), 0};
    line.point[line.n++] = point_of(l, e->from, left);
    for (uint32_t i = 0; i < joints; i++) {
        const Point here = point_of(l, first + i, left);
        const bool last = i + 1 == joints;
        /* Between two joints that stand below one another there is nothing to say. */
        if (i && !last && line.point[line.n - 1].x == here.x &&
            point_of(l, first + i + 1, left).x == here.x)
            continue;
        line.point[line.n++] = here;
    }
    line.point[line.n++] = point_of(l, e->to, left);
    return line;
}

static Drawing drawing_of(const Layers *l)
{
    double left = 0, right = 0;
    for (uint32_t i = 0; i < l->n_items; i++) {
        left = fmin(left, l->items[i].x - l->items[i].width / 2);
        right = fmax(right, l->items[i].x + l->items[i].width / 2);
    }
    left = floor(left) - 1; /* middles are rounded */
    Drawing d = {.middle = ARENA_ARRAY(l->arena, Point, l->n_nodes + 1),
                 .line = ARENA_ARRAY(l->arena, Line, l->edges->n + 1),
                 .width = (int)ceil(right - left) + 1,
                 .height = (int)l->n_rows * ROW_HEIGHT};
    for (uint32_t i = 0; i < l->n_nodes; i++)
        d.middle[i] = point_of(l, i, left);
    for (size_t i = 0; i < l->edges->n; i++)
        d.line[i] = line_of(l, &l->edges->edge[i], left);
    return d;
}

Drawing draw_layered(Arena *arena, uint32_t n_nodes, const int *widths, const Edges *edges)
{
    Layers l = {.arena = arena, .edges = edges, .n_nodes = n_nodes};
    l.items = ARENA_ARRAY(arena, Item, n_nodes + 1);
    l.joint = ARENA_ARRAY(arena, uint32_t, n_nodes + 1);
    l.end = ARENA_ARRAY(arena, uint32_t, n_nodes + 1);
    for (uint32_t i = 0; i < n_nodes; i++)
        l.items[i] = (Item){.width = widths[i], .weight = 1};
    choose_rows(&l);
    add_joints(&l);
    link_items(&l);
    fill_rows(&l);
    if (l.n_rows)
        sort_rows(&l);
    choose_places(&l);
    return drawing_of(&l);
}
