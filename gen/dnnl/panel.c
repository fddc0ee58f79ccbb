/* Matrix products in emitted C: a few hundred rows by weights that are larger than the caches.
 *
 * oneDNN's kernels read their weights with plain loads. Weights that come from memory (a network is larger than L2, so that at each
 * run they do) make it wait: the time measured is that of the multiplications plus that of reading. In the tiles here each step
 * along the depth also fetches a bit of the piece of weights that comes next, so that both go on at the same time.
 *
 * Milliseconds, one thread, AVX-512, weights from memory, rows x depth x columns; oneDNN's convolution, matmul, this:
 *      49 x 4608 x 512   1.67  1.91  1.34        49 x 512 x 2048   0.80  0.82  0.58
 *      49 x 1024 x 2048  1.68  1.68  1.18        49 x 2048 x 512   0.79  0.81  0.59
 *     196 x 1024 x 512   1.17  1.15  1.06       196 x 1024 x 256   0.57  0.57  0.53 */
#include "panel.h"

enum { LINE = 64 };

/* Of L1, which the rows and the sums pass through: a piece of weights. */
static const double piece = 2.0 / 3;

/* Sums, a vector of each column and one number fit into the registers, 32 or 16; the addresses of the rows into 9 others. With few rows all there is to do is to read
 * weights: these have tiles that read panels side by side and fetch nothing, since a CPU that sees several streams fetches them ahead by itself, and sooner than a
 * step that has little else to do. Zen 3, us for a row by 1024 x 1024, weights from the last cache and from memory: one panel of 32 columns that fetches 16 KB ahead 90, 290; two of 16
 * that do 87, 284; two that do not 62, 238; four 60, 213; eight of 8 63, 216. Zen 4, AVX-512: one panel of 64 columns that fetches 57, 247, that does not 49, 261; four of 32 50, 194;
 * two rows 57, 228; 52, 214; 50, 163. From three rows on the one panel takes no longer than several. */
static const struct Tile {
    int lanes, vectors, beside, rows;
    double cost; /* of a multiplication, to the best tile's: narrow tiles load more for each */
    bool few;    /* only for products of no more rows */
} tiles[] = {
    {16, 4, 0, 7, 1.00, false}, {16, 3, 0, 9, 1.00, false}, {16, 2, 0, 9, 1.05, false},
    {16, 1, 0, 9, 1.5, false},  {8, 2, 0, 6, 1.00, false},  {8, 3, 0, 4, 1.03, false},
    {8, 1, 0, 8, 1.3, false},   {8, 4, 0, 2, 0.80, true},   {8, 8, 3, 1, 0.70, true},
    {8, 4, 3, 3, 0.72, true},   {8, 4, 1, 3, 0.78, true},   {8, 3, 2, 4, 0.92, true},
    {16, 8, 3, 2, 0.90, true},  {16, 4, 3, 2, 0.92, true},
};

/* Of pairs: what is multiplied has to be added by another instruction, from a register of its own. */
enum { MOST_SUMS_OF_PAIRS = 8 };

int64_t panel_width(const Panel *p)
{
    return p->lanes * p->vectors;
}

int64_t panel_packed_width(const Panel *p)
{
    return panel_width(p) / (p->beside + 1);
}

/* Of an element of weights that has so many bytes. */
static void choose_step(Panel *p, int64_t bytes)
{
    p->step = p->beside ? 0 : divide_up(panel_width(p) * bytes, p->tiles);
    p->lines = divide_up(p->step, LINE);
}

/* Tiles of at most p->rows rows, some of one less. */
static void follow_tile(Panel *p, int64_t rows, int64_t columns)
{
    p->blocks = divide_up(columns, panel_width(p));
    p->tiles = divide_up(rows, p->rows);
    p->whole = rows - p->tiles * (p->rows - 1);
}

static Panel cut(const Machine *m, const struct Tile *t, int64_t rows, int64_t columns)
{
    Panel p = {.lanes = t->lanes, .vectors = t->vectors, .beside = t->beside};
    p.rows = divide_up(rows, divide_up(rows, t->rows));
    follow_tile(&p, rows, columns);
    p.depth = (int64_t)(m->l1_bytes * piece) / 4 / panel_width(&p);
    choose_step(&p, 4);
    return p;
}

void panel_of_bytes(Panel *p)
{
    choose_step(p, 2);
}

bool panel_is_right(const Panel *p, int64_t rows, int64_t columns, int64_t bytes)
{
    for (size_t i = 0; i < COUNT_OF(tiles); i++) {
        const struct Tile *t = &tiles[i];
        Panel same = *p;
        if (t->lanes != p->lanes || t->vectors != p->vectors || t->beside != p->beside ||
            p->rows < 1 || p->rows > t->rows || p->rows > rows)
            continue;
        follow_tile(&same, rows, columns);
        choose_step(&same, bytes);
        return p->tiles == same.tiles && p->whole == same.whole && p->blocks == same.blocks &&
               p->step == same.step && p->lines == same.lines && same.whole >= 1;
    }
    return false;
}

static double cost_of(const struct Tile *t, const Panel *p, int threads)
{
    return t->cost * (double)(round_up(p->blocks, threads) * panel_width(p));
}

static bool is_usable(const struct Tile *t, int64_t rows, enum PanelUse use)
{
    if (use == PANEL_ALONE && t->few)
        return false;
    if (use == PANEL_OF_PAIRS && t->beside && rows * t->vectors > MOST_SUMS_OF_PAIRS)
        return false;
    return !t->few || rows <= t->rows;
}

uint32_t panel_list(const Machine *m, const PanelProduct *product, Panel *panel)
{
    uint32_t n = 0;
    for (size_t i = 0; i < COUNT_OF(tiles); i++) {
        if (tiles[i].lanes != machine_lanes(m) ||
            !is_usable(&tiles[i], product->rows, product->use))
            continue;
        Panel p = cut(m, &tiles[i], product->rows, product->columns);
        p.cost = cost_of(&tiles[i], &p, product->threads) / (double)product->columns;
        panel[n] = p;
        if (n && p.cost < panel[0].cost) {
            panel[n] = panel[0];
            panel[0] = p;
        }
        n++;
    }
    return n;
}

bool panel_is_best_of_width(const Panel *all, uint32_t n, uint32_t i)
{
    for (uint32_t k = 0; k < n; k++)
        if (panel_packed_width(&all[k]) == panel_packed_width(&all[i]) &&
            (all[k].cost < all[i].cost || (all[k].cost <= all[i].cost && k < i)))
            return false;
    return true;
}

Panel panel_choose(const Machine *m, const PanelProduct *product, int64_t width, double most)
{
    Panel all[MAX_PANELS] = {{0}};
    const uint32_t n = panel_list(m, product, all);
    for (uint32_t i = 0; i < n; i++)
        if (panel_packed_width(&all[i]) == width && all[i].cost < most * all[0].cost &&
            panel_is_best_of_width(all, n, i))
            return all[i];
    return all[0];
}

size_t panel_floats(const Panel *p, int64_t depth)
{
    return (size_t)(p->blocks * depth * panel_width(p));
}
