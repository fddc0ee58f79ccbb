/* See model.h. */
#include "model.h"

#include "../import/build_model.h"

size_t small_model(Arena *arena, uint8_t **bytes)
{
    Build *b = build_new(arena, 17);
    build_input(b, "x", DT_F32, "N,3,H,?");
    build_input(b, "a=b", DT_F32, "N,3,8,8");
    build_node(b, "Relu", "x", "r");
    build_node(b, "Add", "r a=b", "y");
    build_output(b, "y", DT_F32, "N,3,H,?");
    return build_pack(b, bytes);
}
