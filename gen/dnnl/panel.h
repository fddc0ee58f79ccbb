/* Matrix products in emitted C whose weights come from memory: see panel.c. */
#pragma once

#include "../machine/machine.h"

/* How rows x depth times depth x columns is cut into tiles of sums that stay in registers. */
typedef struct Panel {
    int64_t lanes, vectors; /* floats in a vector; vectors of sums in a row of a tile */
    int64_t beside;         /* panels that a tile reads side by side with the first one */
    int64_t rows;           /* of sums in a tile; some tiles have one less */
    int64_t tiles,
        whole; /* tiles on top of each other; how many of them, the first, have all their rows */
    int64_t
        blocks; /* of columns, each `lanes * vectors` wide, in one panel or as many side by side */
    int64_t depth; /* of a piece of a block that tile after tile reads from the nearest cache */
    int64_t step,
        lines; /* bytes, and cache lines at most, of the next piece of each panel that each step along the depth fetches; none where panels stand side by side */
    double cost; /* of a multiplication that is wanted, to one in the best tile */
} Panel;

/* Which tiles there are for a product. */
enum PanelUse {
    PANEL_OF_FLOATS,
    PANEL_OF_PAIRS, /* of 16 bits or bytes: fewer sums fit into registers */
    PANEL_ALONE /* each block has to be one panel, the same for few rows and for many: variants share planes */
};
typedef struct PanelProduct {
    int threads; /* that take blocks of columns */
    int64_t rows, columns;
    enum PanelUse use;
} PanelProduct;

/* What another variant of the model has packed already may cost so much more time, by estimation, than what is packed anew. */
#define PANEL_SHARED_COST 1.12
/* For a machine that has lanes, or none is there. width: of the panels in which these weights are packed already, which are taken unless they cost `most` times as much; 0: they are not. */
Panel panel_choose(const Machine *m, const PanelProduct *product, int64_t width, double most);
/* All that there are, the best first. */
enum { MAX_PANELS = 8 };
uint32_t panel_list(const Machine *m, const PanelProduct *product, Panel *panel);
/* Columns of a block; of one of its panels, as weights are packed. */
int64_t panel_width(const Panel *p);
int64_t panel_packed_width(const Panel *p);
/* Whether no other one of `all` that reads panels as wide takes less time. */
bool panel_is_best_of_width(const Panel *all, uint32_t n, uint32_t i);
/* Whether it cuts so many rows and columns, of weights of so many bytes an element, as one of the tiles that there are. */
bool panel_is_right(const Panel *p, int64_t rows, int64_t columns, int64_t bytes);
/* For weights of two bytes an element. */
void panel_of_bytes(Panel *p);
/* Floats of packed weights. */
size_t panel_floats(const Panel *p, int64_t depth);
