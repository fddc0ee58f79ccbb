/* The checker of programs: what emission relies on, checked again by following the steps byte by byte. What is violated
 * is our own mistake, never the model's.
 *
 * For each piece of memory (a root buffer) the checker keeps which buffer wrote each byte last. A step that reads a
 * buffer expects the bytes of that buffer's own writer: the nearest buffer, from it towards the root, that some step
 * writes; or, for the result of a Concat that was put together in place, writers that are parts of the root itself. So a
 * value that was overwritten too early, by a sum in place or by a neighbour in the arena, is found here.
 *
 * Parts of wider tensors have gaps between their rows. Where a root has such parts, its bytes are seen as rows of their
 * pitch, and what a buffer covers as rectangles of them. */
#include "../dnnl/plan.h"
#include "../ops.h"

#include <string.h>

/* Rows and columns (bytes) of a root: top … bottom - 1, left … right - 1. */
typedef struct Box {
    size_t top, bottom, left, right;
} Box;

/* What a buffer covers. Bytes without gaps: the rest of a row, whole rows, the beginning of one. */
typedef struct Cover {
    Box box[3];
    size_t n;
} Cover;

/* A box of a root that was written by `writer`. */
typedef struct Piece {
    Box box;
    BufferId writer; /* ANYONE: what a Concat copied onto itself */
} Piece;

enum { ANYONE = UINT32_MAX - 1 };

typedef struct Pieces {
    Piece *piece;
    size_t n, cap;
    size_t pitch; /* bytes of a row; 0: one row */
} Pieces;

typedef struct Checker {
    const Program *p;
    Arena *arena;
    bool *is_written; /* by buffer: some step writes it */
    Pieces *pieces;   /* by root buffer */
    uint32_t *first, *last;
    uint32_t now;
} Checker;

static const Buffer *at(const Checker *c, BufferId b)
{
    return &c->p->buffers[b];
}

static BufferId place_of(const Program *p, BufferId b, size_t *offset)
{
    for (*offset = 0; p->buffers[b].base != NO_BUFFER; b = p->buffers[b].base)
        *offset += p->buffers[b].base_offset;
    return b;
}

static BufferId root_of(const Checker *c, BufferId b)
{
    size_t offset;
    return place_of(c->p, b, &offset);
}

static size_t pitch_of(const Buffer *b)
{
    return (size_t)b->layout.pitch * dtype_size(b->type.dtype);
}

static void add_box(Cover *cover, Box b)
{
    if (b.top < b.bottom && b.left < b.right)
        cover->box[cover->n++] = b;
}

/* Bytes lo … hi - 1 of a root, without gaps. */
static Cover cover_bytes(const Checker *c, BufferId root, size_t lo, size_t hi)
{
    Cover cover = {.n = 0};
    size_t pitch = c->pieces[root].pitch;
    if (!pitch) {
        add_box(&cover, (Box){0, 1, lo, hi});
        return cover;
    }
    size_t row = lo / pitch, last = hi / pitch, left = lo % pitch;
    if (row == last) {
        add_box(&cover, (Box){row, row + 1, left, hi % pitch});
        return cover;
    }
    if (left) {
        add_box(&cover, (Box){row, row + 1, left, pitch});
        row++;
    }
    add_box(&cover, (Box){row, last, 0, pitch});
    add_box(&cover, (Box){last, last + 1, 0, hi % pitch});
    return cover;
}

static Cover cover_of(const Checker *c, BufferId b)
{
    size_t lo, pitch = pitch_of(at(c, b));
    BufferId root = place_of(c->p, b, &lo);
    const Layout *layout = &at(c, b)->layout;
    if (!pitch || !at(c, b)->bytes)
        return cover_bytes(c, root, lo, lo + at(c, b)->bytes);
    size_t width = (size_t)at(c, b)->type.dims[layout->order[layout->rank - 1]] *
                   dtype_size(at(c, b)->type.dtype);
    size_t rows = (at(c, b)->bytes - width) / pitch + 1;
    if (pitch != c->pieces[root].pitch || lo % pitch + width > pitch)
        bug("buffer %u has other rows than what it is a part of", b);
    Cover cover = {.n = 0};
    add_box(&cover, (Box){lo / pitch, lo / pitch + rows, lo % pitch, lo % pitch + width});
    return cover;
}

static void find_pitches(Checker *c)
{
    for (BufferId i = 0; i < c->p->n_buffers; i++)
        if (at(c, i)->layout.pitch)
            c->pieces[root_of(c, i)].pitch = pitch_of(at(c, i));
}

static Box meet(Box a, Box b)
{
    return (Box){a.top > b.top ? a.top : b.top, a.bottom < b.bottom ? a.bottom : b.bottom,
                 a.left > b.left ? a.left : b.left, a.right < b.right ? a.right : b.right};
}

static size_t area(Box b)
{
    return b.top < b.bottom && b.left < b.right ? (b.bottom - b.top) * (b.right - b.left) : 0;
}

static const char *label(const Checker *c)
{
    return c->now < c->p->n_steps ? c->p->steps[c->now].label : "the copies at the end";
}

/* --- buffers by themselves ---------------------------------------------------------------------------------------- */

static void check_layout(const Buffer *b, BufferId id)
{
    bool seen[MAX_RANK] = {false};
    if (b->layout.rank != b->type.rank)
        bug("buffer %u: the layout has another rank than the type", id);
    for (int d = 0; d < b->layout.rank; d++) {
        int8_t dim = b->layout.order[d];
        if (dim < 0 || dim >= b->layout.rank || seen[dim])
            bug("buffer %u: the layout is not an order of its dimensions", id);
        seen[dim] = true;
    }
}

static void check_place(const Checker *c, BufferId id)
{
    const Program *p = c->p;
    const Buffer *b = at(c, id);
    size_t limit = b->kind == BUFFER_ARENA ? p->workspace_bytes : p->weights_bytes;
    switch (b->kind) {
    case BUFFER_INPUT:
    case BUFFER_OUTPUT: {
        bool in = b->kind == BUFFER_INPUT;
        if (b->port >= (in ? p->graph->n_inputs : p->graph->n_outputs))
            bug("buffer %u: there is no port %u", id, b->port);
        const Port *port = in ? &p->graph->inputs[b->port] : &p->graph->outputs[b->port];
        if (b->bytes != type_bytes(type_of(p->graph, port->value)))
            bug("buffer %u has another size than '%s'", id, port->name);
        return;
    }
    case BUFFER_CONST:
        if (!b->data && b->bytes)
            bug("buffer %u: a constant without contents", id);
        break;
    case BUFFER_ARENA:
        if (c->first[id] == UINT32_MAX)
            return; /* nobody uses it */
        break;
    }
    if (b->offset % 64 || b->offset > limit || b->bytes > limit - b->offset)
        bug("buffer %u: %zu bytes at %zu do not fit", id, b->bytes, b->offset);
}

static void check_buffers(const Checker *c)
{
    for (BufferId i = 0; i < c->p->n_buffers; i++) {
        const Buffer *b = at(c, i);
        check_layout(b, i);
        if (b->kind != BUFFER_CONST && b->bytes != layout_bytes(&b->layout, &b->type))
            bug("buffer %u has %zu bytes, its layout needs %zu", i, b->bytes,
                layout_bytes(&b->layout, &b->type));
        if (b->base == NO_BUFFER) {
            check_place(c, i);
            continue;
        }
        if (b->base >= i || b->kind != at(c, b->base)->kind ||
            b->base_offset > at(c, b->base)->bytes ||
            b->bytes > at(c, b->base)->bytes - b->base_offset)
            bug("buffer %u is no part of buffer %u", i, b->base);
    }
}

/* --- who is alive when --------------------------------------------------------------------------------------------- */

static void touch(Checker *c, BufferId b, uint32_t step)
{
    if (b == NO_BUFFER)
        return;
    if (b >= c->p->n_buffers)
        bug("step %u uses buffer %u of %u", step, b, c->p->n_buffers);
    BufferId root = root_of(c, b);
    c->first[root] = step < c->first[root] ? step : c->first[root];
    c->last[root] = step > c->last[root] ? step : c->last[root];
}

static void find_lifetimes(Checker *c)
{
    const Program *p = c->p;
    memset(c->first, 0xff, p->n_buffers * sizeof *c->first);
    for (uint32_t s = 0; s < p->n_steps; s++) {
        const Step *step = &p->steps[s];
        for (uint32_t k = 0; k < step->n_in; k++)
            touch(c, step->in[k], s);
        for (uint32_t k = 0; k < step->n_out; k++) {
            touch(c, step->out[k], s);
            if (step->out[k] != NO_BUFFER)
                c->is_written[step->out[k]] = true;
        }
        touch(c, step->scratch, s);
    }
    for (uint32_t i = 0; i < p->n_copies; i++)
        touch(c, p->copies[i].from, p->n_steps);
}

static void check_overlap(const Checker *c)
{
    const Program *p = c->p;
    BufferId *used = ARENA_ARRAY(c->arena, BufferId, p->n_buffers + 1);
    size_t n = 0;
    for (BufferId i = 0; i < p->n_buffers; i++)
        if (at(c, i)->kind == BUFFER_ARENA && at(c, i)->base == NO_BUFFER &&
            c->first[i] != UINT32_MAX && at(c, i)->bytes)
            used[n++] = i;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            const Buffer *a = at(c, used[i]), *b = at(c, used[j]);
            bool together =
                c->first[used[i]] <= c->last[used[j]] && c->first[used[j]] <= c->last[used[i]];
            if (together && a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes)
                bug("buffers %u and %u are alive together in the same place", used[i], used[j]);
        }
}

/* Constants never leave their place: they stand in the weights one after the other. */
static void check_constants(const Checker *c)
{
    size_t end = 0;
    for (BufferId i = 0; i < c->p->n_buffers; i++) {
        const Buffer *b = at(c, i);
        if (b->kind != BUFFER_CONST || b->base != NO_BUFFER || !b->bytes)
            continue;
        if (b->offset < end)
            bug("buffer %u lies in the weights where another constant is", i);
        end = b->offset + b->bytes;
    }
}

/* --- following the steps ------------------------------------------------------------------------------------------- */

static void add_piece(Checker *c, Pieces *pieces, Piece piece)
{
    pieces->piece =
        arena_grow(c->arena, pieces->piece, pieces->n, &pieces->cap, sizeof *pieces->piece);
    pieces->piece[pieces->n++] = piece;
}

/* What is left of an old piece around a new one: above, below, beside. */
static void add_rest(Checker *c, Pieces *pieces, Piece old, Box new)
{
    Box in = meet(old.box, new);
    const Box rest[] = {
        {old.box.top, in.top, old.box.left, old.box.right},
        {in.bottom, old.box.bottom, old.box.left, old.box.right},
        {in.top, in.bottom, old.box.left, in.left},
        {in.top, in.bottom, in.right, old.box.right},
    };
    for (size_t i = 0; i < COUNT_OF(rest); i++)
        if (area(rest[i]))
            add_piece(c, pieces, (Piece){rest[i], old.writer});
}

static void write_box(Checker *c, Pieces *pieces, Box box, BufferId writer)
{
    size_t n = pieces->n, kept = 0;
    for (size_t i = 0; i < n; i++) {
        Piece old = pieces->piece[i];
        if (area(meet(old.box, box)))
            add_rest(c, pieces, old, box);
        else
            pieces->piece[kept++] = old;
    }
    if (pieces->n > n)
        memmove(pieces->piece + kept, pieces->piece + n, (pieces->n - n) * sizeof *pieces->piece);
    pieces->n -= n - kept;
    add_piece(c, pieces, (Piece){box, writer});
}

static void write_cover(Checker *c, BufferId root, const Cover *cover, BufferId writer)
{
    for (size_t i = 0; i < cover->n; i++)
        write_box(c, &c->pieces[root], cover->box[i], writer);
}

/* Whether bytes that `writer` left are what a reader of b expects. */
static bool expected(const Checker *c, BufferId b, BufferId root, BufferId writer)
{
    if (writer == ANYONE)
        return true;
    for (BufferId owner = b; owner != root; owner = at(c, owner)->base)
        if (c->is_written[owner])
            return writer == owner;
    if (c->is_written[root] && at(c, root)->kind == BUFFER_ARENA)
        return writer == root;
    return writer == root || at(c, writer)->base == root;
}

static void check_read(const Checker *c, BufferId b)
{
    size_t all = 0, covered = 0;
    BufferId root = root_of(c, b);
    Cover cover = cover_of(c, b);
    if (at(c, root)->kind == BUFFER_INPUT || at(c, root)->kind == BUFFER_CONST)
        return;
    for (size_t k = 0; k < cover.n; k++)
        all += area(cover.box[k]);
    for (size_t i = 0; i < c->pieces[root].n; i++) {
        const Piece *piece = &c->pieces[root].piece[i];
        size_t shared = 0;
        for (size_t k = 0; k < cover.n; k++)
            shared += area(meet(piece->box, cover.box[k]));
        covered += shared;
        if (shared && !expected(c, b, root, piece->writer))
            bug("%s reads buffer %u, of which bytes were overwritten by buffer %u", label(c), b,
                piece->writer);
    }
    if (covered != all)
        bug("%s reads buffer %u before it is written", label(c), b);
}

static bool same_place(const Checker *c, BufferId a, BufferId b)
{
    size_t x, y;
    return place_of(c->p, a, &x) == place_of(c->p, b, &y) && x == y &&
           at(c, a)->bytes == at(c, b)->bytes &&
           layout_same_bytes(&at(c, a)->layout, &at(c, b)->layout, &at(c, a)->type);
}

static bool overlap(const Checker *c, BufferId a, BufferId b)
{
    if (root_of(c, a) != root_of(c, b))
        return false;
    Cover x = cover_of(c, a), y = cover_of(c, b);
    for (size_t i = 0; i < x.n; i++)
        for (size_t k = 0; k < y.n; k++)
            if (area(meet(x.box[i], y.box[k])))
                return true;
    return false;
}

/* A Concat that could not be had without a step, of which an operand already is where it belongs. */
static bool is_concat_onto_itself(const Checker *c, const Step *s, uint32_t k)
{
    size_t to, from;
    if (s->n_nodes != 1 || node_at(c->p->graph, s->node)->op != OP_Concat || s->n_out != 1)
        return false;
    place_of(c->p, s->out[0], &to);
    place_of(c->p, s->in[k], &from);
    for (uint32_t i = 0; i < k; i++)
        to += at(c, s->in[i])->bytes;
    return to == from;
}

/* Primitives that may work in place: each element of dst depends on the same element of src only. */
static bool may_overwrite(const Checker *c, const Step *s, uint32_t k)
{
    const DnnlPrimitive *d = s->dnnl;
    if (is_concat_onto_itself(c, s, k))
        return true;
    if (!d && s->n_nodes && op_info(node_at(c->p->graph, s->node)->op)->class == CLASS_ELTWISE)
        return same_place(c, s->in[k], s->out[0]); /* emit_c_eltwise reads from dst then */
    return d && (d->kind == KIND_ELTWISE || d->kind == KIND_BINARY || d->kind == KIND_BATCH_NORM) &&
           same_place(c, s->in[k], s->out[0]);
}

static void check_aliases(const Checker *c, const Step *s)
{
    for (uint32_t o = 0; o < s->n_out; o++) {
        if (s->out[o] == NO_BUFFER)
            continue;
        for (uint32_t k = 0; k < s->n_in; k++)
            if (s->in[k] != NO_BUFFER && overlap(c, s->in[k], s->out[o]) && !may_overwrite(c, s, k))
                bug("%s reads buffer %u while it writes buffer %u in the same place", s->label,
                    s->in[k], s->out[o]);
        for (uint32_t k = 0; k < o; k++)
            if (s->out[k] != NO_BUFFER && overlap(c, s->out[k], s->out[o]))
                bug("%s writes two results into one place", s->label);
    }
}

static bool is_written_at_all(const Checker *c, BufferId root, const Cover *cover)
{
    for (size_t i = 0; i < c->pieces[root].n; i++) {
        const Piece *piece = &c->pieces[root].piece[i];
        for (size_t k = 0; k < cover->n; k++)
            if (area(meet(piece->box, cover->box[k])) && piece->writer != ANYONE)
                return true;
    }
    return false;
}

/* What is at its place in a Concat already is copied onto itself: it counts as anyone's. */
static void free_own_places(Checker *c, const Step *s, BufferId root)
{
    for (uint32_t k = 0; k < s->n_in; k++)
        if (s->in[k] != NO_BUFFER && root_of(c, s->in[k]) == root &&
            is_concat_onto_itself(c, s, k)) {
            Cover cover = cover_of(c, s->in[k]);
            write_cover(c, root, &cover, ANYONE);
        }
}

static void check_write(Checker *c, const Step *s, BufferId b)
{
    BufferId root = root_of(c, b);
    BufferKind kind = at(c, root)->kind;
    Cover cover = cover_of(c, b);
    if (kind != BUFFER_ARENA && kind != BUFFER_OUTPUT)
        bug("%s writes to an input or a constant", s->label);
    free_own_places(c, s, root);
    /* A reorder of the whole result may follow on parts that were written where they belong: the same bytes. */
    bool again = kind == BUFFER_OUTPUT && is_written_at_all(c, root, &cover);
    if (again && (b != root || s->n_nodes))
        bug("%s writes over a result of the model", s->label);
    write_cover(c, root, &cover, again ? ANYONE : b);
    free_own_places(c, s, root);
}

/* The last element that a oneDNN argument reaches, in elements from its start. */
static int64_t reach(const DnnlMemory *m)
{
    int64_t last = 0, step = 1;
    for (int i = m->rank - 1; i >= 0; i--) {
        int d = m->form == FORM_TAG ? m->tag[i] - 'a' : i;
        last += (m->dims[d] - 1) * (m->form == FORM_TAG ? step : m->strides[d]);
        step *= m->dims[d];
    }
    return last + 1;
}

static bool is_argument(const Step *s, BufferId b)
{
    for (uint32_t k = 0; k < s->n_in; k++)
        if (s->in[k] == b)
            return true;
    return s->n_out == 1 && s->out[0] == b;
}

static void check_primitive(const Checker *c, const Step *s)
{
    const DnnlPrimitive *d = s->dnnl;
    for (uint32_t i = 0; i < d->n_memory; i++) {
        const DnnlMemory *m = &d->memory[i];
        if (m->form == FORM_ANY || m->buffer == NO_BUFFER)
            continue;
        if (!is_argument(s, m->buffer))
            bug("%s: argument %s is in no list of the step", s->label, m->name);
        if ((size_t)reach(m) * dtype_size(m->dtype) > at(c, m->buffer)->bytes)
            bug("%s: argument %s reaches beyond buffer %u", s->label, m->name, m->buffer);
    }
    for (uint32_t i = 0; i < d->n_post; i++) {
        if (d->post[i].kind == DNNL_POST_SUM) {
            if (at(c, s->out[0])->base == NO_BUFFER)
                bug("%s adds to a destination that is nobody's", s->label);
            check_read(c, at(c, s->out[0])->base);
        } else if (d->post[i].kind != DNNL_POST_ELTWISE && d->post[i].memory >= d->n_memory)
            bug("%s: a post-op without its operand", s->label);
    }
}

/* A kernel in C knows the shapes of its node, not those of the buffers. */
static void check_types(const Checker *c, const Step *s)
{
    const Node *n = node_at(c->p->graph, s->node);
    for (uint32_t k = 0; k < n->n_in + n->n_out; k++) {
        bool in = k < n->n_in;
        ValueId v = in ? n->in[k] : n->out[k - n->n_in];
        BufferId b = in ? s->in[k] : s->out[k - n->n_in];
        if (has_value(v) != (b != NO_BUFFER))
            bug("%s: an operand without a buffer", s->label);
        if (has_value(v) && !type_equal(type_of(c->p->graph, v), &at(c, b)->type))
            bug("%s: buffer %u does not have the type of '%s'", s->label, b,
                value_at(c->p->graph, v)->name);
    }
}

static void check_step(Checker *c, const Step *s)
{
    if (s->region >= c->p->n_regions ||
        (s->target == TARGET_DNNL && c->p->regions[s->region].target != TARGET_DNNL) ||
        (s->target == TARGET_DNNL) != (s->dnnl != NULL))
        bug("%s is in a unit of the other target", s->label);
    if (!s->dnnl && s->n_nodes == 1)
        check_types(c, s);
    for (uint32_t k = 0; k < s->n_in; k++)
        if (s->in[k] != NO_BUFFER)
            check_read(c, s->in[k]);
    if (s->dnnl)
        check_primitive(c, s);
    check_aliases(c, s);
    if (s->scratch != NO_BUFFER &&
        (at(c, s->scratch)->kind != BUFFER_ARENA || at(c, s->scratch)->base != NO_BUFFER))
        bug("%s: its scratch memory is not its own", s->label);
    for (uint32_t k = 0; k < s->n_out; k++)
        if (s->out[k] != NO_BUFFER)
            check_write(c, s, s->out[k]);
}

/* Every output of the model is complete, by steps or by one of the copies. */
static void check_outputs(Checker *c)
{
    const Program *p = c->p;
    bool *copied = ARENA_ARRAY(c->arena, bool, p->graph->n_outputs + 1);
    for (uint32_t i = 0; i < p->n_copies; i++) {
        const Buffer *to = at(c, p->copies[i].to);
        check_read(c, p->copies[i].from);
        if (to->kind != BUFFER_OUTPUT || to->base != NO_BUFFER ||
            to->bytes != at(c, p->copies[i].from)->bytes || copied[to->port])
            bug("copy %u does not fill an output", i);
        copied[to->port] = true;
        Cover cover = cover_of(c, p->copies[i].to);
        write_cover(c, p->copies[i].to, &cover, p->copies[i].to);
    }
    for (BufferId b = 0; b < p->n_buffers; b++)
        if (at(c, b)->kind == BUFFER_OUTPUT && at(c, b)->base == NO_BUFFER &&
            !copied[at(c, b)->port])
            check_read(c, b);
}

bool verify_program(const Program *p)
{
    Arena *arena = arena_new();
    Checker c = {.p = p, .arena = arena};
    c.is_written = ARENA_ARRAY(arena, bool, p->n_buffers + 1);
    c.pieces = ARENA_ARRAY(arena, Pieces, p->n_buffers + 1);
    c.first = ARENA_ARRAY(arena, uint32_t, p->n_buffers + 1);
    c.last = ARENA_ARRAY(arena, uint32_t, p->n_buffers + 1);
    for (BufferId i = 0; i < p->n_buffers; i++)
        if (p->buffers[i].base != NO_BUFFER && p->buffers[i].base >= i)
            bug("buffer %u is a part of a later one", i);
    find_pitches(&c);
    find_lifetimes(&c);
    check_buffers(&c);
    check_overlap(&c);
    check_constants(&c);
    for (c.now = 0; c.now < p->n_steps; c.now++)
        check_step(&c, &p->steps[c.now]);
    check_outputs(&c);
    arena_free(arena);
    return true;
}
