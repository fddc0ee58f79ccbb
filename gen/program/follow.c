/* Follows the steps of a program byte by byte.
 *
 * For each piece of memory (a root buffer) the checker keeps which buffer wrote each byte last. A step that reads a
 * buffer expects the bytes of that buffer's own writer: the nearest buffer, from it towards the root, that some step
 * writes; or, for the result of a Concat that was put together in place, writers that are parts of the root itself. So a
 * value that was overwritten too early, by a sum in place or by a neighbour in the arena, is found here.
 *
 * Parts of wider tensors have a row pitch. Where a root has such parts, its bytes are seen as rows of their
 * pitch, and what a buffer covers as rectangles of them. */
#include "../dnnl/plan.h"
#include "../ops/ops.h"
#include "checker.h"
#include "loops.h"
#include "step.h"

#include <string.h>

/* Rows and columns (bytes) of a root: top … bottom - 1, left … right - 1. */
typedef struct Box {
    size_t top, bottom, left, right;
} Box;

/* What a buffer covers. Bytes without others between them: the rest of a row, whole rows, the beginning of one. */
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

static BufferId root_of(const Checker *c, BufferId b)
{
    return root_buffer(c->p, b, NULL);
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

/* Bytes lo … hi - 1 of a root, without others between them. */
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

/* Whether the rows of a part lie within those of what it is a part of. */
static bool check_pitch(const Checker *c, BufferId b)
{
    const Layout *layout = &at(c, b)->layout;
    size_t lo, pitch = pitch_of(at(c, b));
    const size_t root_pitch = c->pieces[root_buffer(c->p, b, &lo)].pitch;
    if (!pitch || !at(c, b)->bytes)
        return true;
    size_t width = (size_t)at(c, b)->type.dims[layout->order[layout->rank - 1]] *
                   dtype_size(at(c, b)->type.dtype);
    return (pitch == root_pitch && lo % pitch + width <= pitch) ||
           wrong(c, "buffer %u has other rows than what it is a part of", b);
}

static Cover cover_of(const Checker *c, BufferId b)
{
    size_t lo, pitch = pitch_of(at(c, b));
    BufferId root = root_buffer(c->p, b, &lo);
    const Layout *layout = &at(c, b)->layout;
    if (!pitch || !at(c, b)->bytes)
        return cover_bytes(c, root, lo, lo + at(c, b)->bytes);
    size_t width = (size_t)at(c, b)->type.dims[layout->order[layout->rank - 1]] *
                   dtype_size(at(c, b)->type.dtype);
    size_t rows = (at(c, b)->bytes - width) / pitch + 1;
    Cover cover = {.n = 0};
    add_box(&cover, (Box){lo / pitch, lo / pitch + rows, lo % pitch, lo % pitch + width});
    return cover;
}

static bool find_pitches(Checker *c)
{
    for (BufferId i = 0; i < c->p->n_buffers; i++)
        if (at(c, i)->layout.pitch)
            c->pieces[root_of(c, i)].pitch = pitch_of(at(c, i));
    for (BufferId i = 0; i < c->p->n_buffers; i++)
        if (!check_pitch(c, i))
            return false;
    return true;
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

static void add_piece(Checker *c, Pieces *pieces, Piece piece)
{
    ARENA_PUSH(c->arena, pieces->piece, pieces->n, pieces->cap, piece);
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

static bool check_read(const Checker *c, BufferId b)
{
    size_t all = 0, covered = 0;
    BufferId root = root_of(c, b);
    Cover cover = cover_of(c, b);
    if (at(c, root)->kind == BUFFER_INPUT || at(c, root)->kind == BUFFER_CONST)
        return true;
    for (size_t k = 0; k < cover.n; k++)
        all += area(cover.box[k]);
    for (size_t i = 0; i < c->pieces[root].n; i++) {
        const Piece *piece = &c->pieces[root].piece[i];
        size_t shared = 0;
        for (size_t k = 0; k < cover.n; k++)
            shared += area(meet(piece->box, cover.box[k]));
        covered += shared;
        if (shared && !expected(c, b, root, piece->writer))
            return wrong(c, "%s reads buffer %u, of which bytes were overwritten by buffer %u",
                         label(c), b, piece->writer);
    }
    return covered == all || wrong(c, "%s reads buffer %u before it is written", label(c), b);
}

static bool same_place(const Checker *c, BufferId a, BufferId b)
{
    size_t x, y;
    return root_buffer(c->p, a, &x) == root_buffer(c->p, b, &y) && x == y &&
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
    root_buffer(c->p, s->out[0], &to);
    root_buffer(c->p, s->in[k], &from);
    for (uint32_t i = 0; i < k; i++)
        to += at(c, s->in[i])->bytes;
    return to == from;
}

/* What is carried may be made where it belongs, and is not copied then. */
static bool loop_end_overwrites(const Checker *c, const Step *s, uint32_t k)
{
    const uint32_t o = k < LOOP_TRIPS ? k : k - LOOP_NEXT + LOOP_CARRIED;
    return (k < LOOP_TRIPS || k >= LOOP_NEXT) && same_place(c, s->in[k], s->out[o]);
}

/* Primitives that may work in place: each element of dst depends on the same element of src only. */
static bool may_overwrite(const Checker *c, const Step *s, uint32_t k)
{
    const DnnlPrimitive *d = s->dnnl;
    if (is_concat_onto_itself(c, s, k))
        return true;
    if (step_is_loop_end(c->p, c->now, OP_LoopEnd))
        return loop_end_overwrites(c, s, k);
    if (!d && s->n_nodes && op_info(node_at(c->p->graph, s->node)->op)->class == CLASS_ELTWISE)
        return same_place(c, s->in[k], s->out[0]); /* emit_c_eltwise reads from dst then */
    return d && (d->kind == KIND_ELTWISE || d->kind == KIND_BINARY || d->kind == KIND_BATCH_NORM) &&
           same_place(c, s->in[k], s->out[0]);
}

static bool check_aliases(const Checker *c, const Step *s)
{
    for (uint32_t o = 0; o < s->n_out; o++) {
        if (s->out[o] == NO_BUFFER)
            continue;
        for (uint32_t k = 0; k < s->n_in; k++)
            if (s->in[k] != NO_BUFFER && overlap(c, s->in[k], s->out[o]) && !may_overwrite(c, s, k))
                return wrong(c, "%s reads buffer %u while it writes buffer %u in the same place",
                             s->label, s->in[k], s->out[o]);
        for (uint32_t k = 0; k < o; k++)
            if (s->out[k] != NO_BUFFER && overlap(c, s->out[k], s->out[o]))
                return wrong(c, "%s writes two results into one place", s->label);
    }
    return true;
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

static bool check_write(Checker *c, const Step *s, BufferId b)
{
    BufferId root = root_of(c, b);
    BufferKind kind = at(c, root)->kind;
    Cover cover = cover_of(c, b);
    if (kind != BUFFER_ARENA && kind != BUFFER_OUTPUT)
        return wrong(c, "%s writes to an input or a constant", s->label);
    free_own_places(c, s, root);
    /* A reorder of the whole result may follow on parts that were written where they belong: the same bytes. */
    bool again = kind == BUFFER_OUTPUT && is_written_at_all(c, root, &cover);
    if (again && (b != root || s->n_nodes) && !step_is_loop_end(c->p, c->now, OP_LoopEnd))
        return wrong(c, "%s writes over a result of the model", s->label);
    write_cover(c, root, &cover, again ? ANYONE : b);
    free_own_places(c, s, root);
    return true;
}

static bool check_sum(const Checker *c, const Step *s)
{
    if (s->n_out == 0 || s->out[0] == NO_BUFFER || at(c, s->out[0])->base == NO_BUFFER)
        return wrong(c, "%s adds to a destination that is nobody's", s->label);
    return check_read(c, at(c, s->out[0])->base);
}

static bool check_step(Checker *c, const Step *s)
{
    for (uint32_t k = 0; k < s->n_in; k++)
        if (s->in[k] != NO_BUFFER && !check_read(c, s->in[k]))
            return false;
    if ((step_adds_to_destination(s) && !check_sum(c, s)) || !check_aliases(c, s))
        return false;
    for (uint32_t k = 0; k < s->n_guards; k++)
        if (!check_read(c, s->guards[k].condition))
            return false;
    for (uint32_t k = 0; k < s->n_out; k++)
        if (s->out[k] != NO_BUFFER && !check_write(c, s, s->out[k]))
            return false;
    return true;
}

/* Every output of the model is complete, by steps or by one of the copies. */
static bool check_outputs(Checker *c)
{
    const Program *p = c->p;
    bool *copied = ARENA_ARRAY(c->arena, bool, p->graph->n_outputs + 1);
    for (uint32_t i = 0; i < p->n_copies; i++) {
        const Buffer *to = at(c, p->copies[i].to);
        if (!check_read(c, p->copies[i].from))
            return false;
        if (to->kind != BUFFER_OUTPUT || to->base != NO_BUFFER ||
            to->bytes != at(c, p->copies[i].from)->bytes || copied[to->port])
            return wrong(c, "copy %u does not fill an output", i);
        copied[to->port] = true;
        Cover cover = cover_of(c, p->copies[i].to);
        write_cover(c, p->copies[i].to, &cover, p->copies[i].to);
    }
    for (BufferId b = 0; b < p->n_buffers; b++)
        if (at(c, b)->kind == BUFFER_OUTPUT && at(c, b)->base == NO_BUFFER &&
            !copied[at(c, b)->port] && !check_read(c, b))
            return false;
    return true;
}

/* Behind the end of a loop: all of it is followed once more, with what an iteration leaves for the next one. */
static void turn_back(Checker *c, bool *turned)
{
    for (uint32_t i = 0; i < c->loops->n; i++)
        if (c->loops->loop[i].end == c->now) {
            turned[i] = !turned[i];
            c->now = turned[i] ? c->loops->loop[i].begin : c->now;
            return;
        }
}

bool follow_steps(Checker *c)
{
    bool *turned = ARENA_ARRAY(c->arena, bool, (size_t)c->loops->n + 1);
    c->pieces = ARENA_ARRAY(c->arena, Pieces, c->p->n_buffers + 1);
    if (!find_pitches(c))
        return false;
    for (c->now = 0; c->now < c->p->n_steps; c->now++) {
        if (!check_step(c, &c->p->steps[c->now]))
            return false;
        turn_back(c, turned);
    }
    return check_outputs(c);
}
