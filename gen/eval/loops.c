/* Both ends of a loop; eval.c runs what is between them again and again. */
#include "../graph/loops.h"

#include "elem.h"

#include <string.h>

static void copy(const Tensor *from, const Tensor *to)
{
    if (to && type_bytes(&to->type))
        memcpy(to->data, from->data, type_bytes(&to->type));
}

/* What follows when so many iterations are done: the outputs that both ends have. */
static void say(const Eval *e, uint32_t trips, int64_t done, int64_t capacity)
{
    const bool more =
        *(const uint8_t *)e->in[trips + 1]->data && done < *(const int64_t *)e->in[trips]->data;
    if (e->out[LOOP_GOING_ON])
        *(uint8_t *)e->out[LOOP_GOING_ON]->data = !more                          ? LOOP_STOPS
                                                  : capacity && done >= capacity ? LOOP_IS_FULL
                                                                                 : LOOP_GOES_ON;
    if (e->out[LOOP_ITERATION])
        *(int64_t *)e->out[LOOP_ITERATION]->data = done;
}

bool eval_loop_begin(Eval *e)
{
    say(e, 0, 0, 0);
    for (uint32_t k = LOOP_CARRIED; k < e->node->n_out; k++)
        copy(e->in[k], e->out[k]);
    return true;
}

bool eval_loop_end(Eval *e)
{
    const uint32_t carried = loop_carried(e->node);
    const int64_t i = *(const int64_t *)e->in[LOOP_ITERATION]->data,
                  capacity = attr_int(e->node, "capacity", 0);
    for (uint32_t k = carried; k < e->node->n_in - LOOP_NEXT; k++) {
        const Tensor *row = e->in[LOOP_NEXT + k], *to = e->out[LOOP_CARRIED + k];
        const size_t bytes = type_bytes(&row->type);
        if (to && bytes && i >= 0 && i < capacity)
            memcpy((unsigned char *)to->data + (size_t)i * bytes, row->data, bytes);
    }
    for (uint32_t k = 0; k < carried; k++)
        copy(e->in[LOOP_NEXT + k], e->out[LOOP_CARRIED + k]);
    say(e, LOOP_TRIPS, i < INT64_MAX ? i + 1 : i, capacity);
    return true;
}
