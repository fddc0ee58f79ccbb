/* What is appended to an anchor, made from its pattern. */
#include "table.h"

#include "../../gen/ops/ops.h"
#include "../../gen/text/data.h"
#include "../../gen/text/text_ir.h"

#include <string.h>

typedef struct List {
    Arena *arena;
    const Pattern **p;
    size_t n, cap;
} List;

static bool add(const Pattern *p, void *data)
{
    List *l = data;
    l->p = arena_grow(l->arena, l->p, l->n, &l->cap, sizeof *l->p);
    l->p[l->n++] = p;
    return true;
}

size_t alternatives(Arena *arena, const Pattern *p, const Pattern ***list)
{
    List l = {.arena = arena};
    if (!pattern_roots(p, add, &l))
        bug("a pattern of the table is not one of operators");
    *list = l.p;
    return l.n;
}

unsigned asked_of(const Appended *a)
{
    static const unsigned spread[SPREADS] = {TAKES_SCALAR, TAKES_CHANNEL, TAKES_FULL};
    switch (a->kind) {
    case APPEND_BIAS:
    case APPEND_SCALE:
    case APPEND_QUANTIZE:
        return 0;
    case APPEND_ELTWISE:
        return a->pattern->op == OP_Relu ? TAKES_ELTWISE | TAKES_RELU : TAKES_ELTWISE;
    case APPEND_LINEAR:
        return TAKES_ELTWISE;
    case APPEND_SUM:
        return TAKES_SUM;
    case APPEND_BINARY:
        return spread[a->spread];
    case APPEND_PRELU:
        return TAKES_PRELU;
    case APPEND_CAST:
        return TAKES_CAST;
    case APPEND_DEPTHWISE:
        return TAKES_DEPTHWISE;
    }
    bug("append kind %d", (int)a->kind);
}

ValueId new_input(Maker *m, TensorType t)
{
    return graph_add_input(m->g, arena_printf(m->g->arena, "in%u", m->g->n_inputs), t);
}

/* By how many dimensions of size 1 the channel is followed. */
static ValueId per_channel(Maker *m, const AnchorRow *row, ValueId y, bool given)
{
    const TensorType *t = shape_in(m, y);
    int at = row->channel < 0 ? t->rank - 1 : row->channel;
    int64_t dims[MAX_RANK] = {t->dims[at], 1, 1, 1, 1, 1};
    if (!given)
        return constant(m, t->rank - at, dims, 1, 1.5);
    return new_input(m, type_make(DT_F32, t->rank - at, dims));
}

/* Made by a step that leaves it in the layout of the anchor's own result, so that the sum can be in place. */
static ValueId summand(Maker *m, const AnchorRow *row, ValueId y)
{
    const TensorType t = *shape_in(m, y);
    ValueId x = new_input(m, t);
    const int64_t zeros[6] = {0}, ones[3] = {1, 1, 1};
    size_t s = (size_t)t.rank - 2;
    bool channels_last = strncmp(row->name, "dnnl.conv", 9) == 0 ||
                         strncmp(row->name, "dnnl.deconv", 11) == 0 ||
                         strcmp(row->name, "dnnl.resampling") == 0;
    if (!channels_last)
        return op1(m, OP_Tanh, x, NULL);
    return op1(m, OP_MaxPool, x, /* which no other anchor's row precedes */
               (Attr[]){ATTR_IS("kernel_shape", ones, s), ATTR_IS("strides", ones, s),
                        ATTR_IS("dilations", ones, s), ATTR_IS("pads", zeros, 2 * s), ATTR_END});
}

static ValueId operand(Maker *m, const AnchorRow *row, const Appended *a, ValueId y)
{
    switch (a->kind) {
    case APPEND_SCALE:
        return pattern_has_predicate(a->pattern->arg[1], "scalar")
                   ? new_input(m, type_make(DT_F32, 0, NULL))
                   : per_channel(m, row, y, true);
    case APPEND_SUM:
        return summand(m, row, y);
    case APPEND_BINARY:
        return a->spread == SPREAD_FULL      ? new_input(m, *shape_in(m, y))
               : a->spread == SPREAD_CHANNEL ? per_channel(m, row, y, true)
                                             : new_input(m, type_make(DT_F32, 0, NULL));
    default:
        return per_channel(m, row, y, false);
    }
}

/* Float attributes that make the operator differ from its neighbours in the table. */
static size_t attributes(Op o, Attr *attrs)
{
    OpAttr a;
    size_t n = 0;
    for (size_t k = 0; op_attr(o, k, &a); k++) {
        bool max = a.size == 3 && memcmp(a.name, "max", 3) == 0;
        attrs[n++] = (Attr){.name = max                                   ? "max"
                                    : memcmp(a.name, "min", 3) == 0       ? "min"
                                    : memcmp(a.name, "beta", a.size) == 0 ? "beta"
                                                                          : "alpha",
                            .kind = ATTR_FLOAT,
                            .f = max                             ? 0.75
                                 : memcmp(a.name, "min", 3) == 0 ? -0.25
                                                                 : 0.375};
    }
    attrs[n] = ATTR_END;
    return n;
}

bool has_poles(const Pattern *p)
{
    return p->op == OP_Log || p->op == OP_Sqrt || p->op == OP_Reciprocal || p->op == OP_Pow ||
           (p->op == OP_Div && p->arg[1]->kind == PAT_HOLE);
}

static ValueId number(Maker *m, double x)
{
    float *data = arena_alloc(m->g->arena, sizeof *data);
    *data = (float)x;
    return graph_add_const(m->g, NULL, type_make(DT_F32, 0, NULL), data);
}

static ValueId depthwise(Maker *m, const Pattern *p, ValueId y)
{
    const int64_t c = shape_in(m, y)->dims[1], dims[4] = {c, 1, 3, 3};
    Attr attrs[PATTERN_ATTRS + 2] = {ATTR_I("group", c)};
    ValueId in[3] = {y, constant(m, 4, dims, 0.5, 0.001), NO_VALUE};
    size_t n = 1;
    for (uint32_t k = 0; k < p->n_attrs; k++) { /* lists, as the pattern asks */
        int64_t *list = ARENA_ARRAY(m->g->arena, int64_t, PATTERN_NUMBERS);
        for (size_t i = 0; i < p->attr[k].n; i++)
            list[i] = (int64_t)p->attr[k].number[i];
        attrs[n++] = ATTR_IS(p->attr[k].name, list, p->attr[k].n);
    }
    attrs[n] = ATTR_END;
    if (chance(m, 2))
        in[2] = constant(m, 1, &c, 0.5, 0.1);
    return op(m, OP_Conv, in, has_value(in[2]) ? 3 : 2, attrs);
}

static ValueId quantised(Maker *m, ValueId y)
{
    uint8_t *zero = arena_alloc(m->g->arena, 1);
    *zero = 128;
    const ValueId in[3] = {y, number(m, 0.01),
                           graph_add_const(m->g, NULL, type_make(DT_U8, 0, NULL), zero)};
    return op(m, OP_QuantizeLinear, in, 3,
              (Attr[]){ATTR_I("axis", 0), ATTR_I("to", DT_U8), ATTR_END});
}

ValueId make_appended(Maker *m, const AnchorRow *row, const Appended *a, ValueId y, bool safe)
{
    const Pattern *p = a->pattern;
    ValueId in[PATTERN_ARGS];
    Attr attrs[4];
    attributes(p->op, attrs);
    if (p->op == OP_Cast)
        attrs[0] = ATTR_I("to", DT_BF16);
    if (a->kind == APPEND_DEPTHWISE)
        return depthwise(m, p, y);
    if (a->kind == APPEND_QUANTIZE)
        return quantised(m, y);
    if (safe && has_poles(p)) {
        in[0] = op1(m, OP_Abs, y, NULL);
        in[1] = number(m, 0.5);
        y = op(m, OP_Add, in, 2, NULL);
    }
    for (uint32_t k = 0; k < p->n_args; k++)
        in[k] = p->arg[k]->kind == PAT_HOLE     ? y
                : p->arg[k]->kind == PAT_NUMBER ? number(m, 0.7 + 0.1 * below(m, 9))
                                                : operand(m, row, a, y);
    return op(m, p->op, in, p->n_args, attrs);
}
