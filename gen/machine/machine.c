/* Figures of machines by their instruction sets. See machine.h. */
#include "machine.h"

#include <string.h>

enum MachineClass { MACHINE_SSE41, MACHINE_AVX2, MACHINE_AVX512 };

/* Names of instruction sets begin so; the first row that fits. */
static const struct {
    const char *prefix;
    enum MachineClass class;
} names[] = {
    {"avx512", MACHINE_AVX512},
    {"avx10", MACHINE_AVX512},
    {"avx2", MACHINE_AVX2},
};

static const Machine classes[] = {
    [MACHINE_SSE41] =
        {
#define FIGURE(name, sse41, avx2, avx512, least, most, unit, meaning) .name = sse41,
#include "figures.def"
#undef FIGURE
        },
    [MACHINE_AVX2] =
        {
#define FIGURE(name, sse41, avx2, avx512, least, most, unit, meaning) .name = avx2,
#include "figures.def"
#undef FIGURE
        },
    [MACHINE_AVX512] =
        {
#define FIGURE(name, sse41, avx2, avx512, least, most, unit, meaning) .name = avx512,
#include "figures.def"
#undef FIGURE
        },
};

static enum MachineClass class_of(const char *isa)
{
    for (size_t i = 0; isa && i < COUNT_OF(names); i++)
        if (!strncmp(isa, names[i].prefix, strlen(names[i].prefix)))
            return names[i].class;
    return MACHINE_SSE41;
}

Machine machine_of_isa(const char *isa)
{
    Machine m = classes[class_of(isa)];
    m.isa = isa ? isa : "sse41";
    return m;
}

bool machine_same_class(const char *isa, const char *other)
{
    return class_of(isa) == class_of(other);
}

int machine_lanes(const Machine *m)
{
    return (int)m->lanes;
}

double machine_reorder_ns(const Machine *m, double bytes)
{
    const bool far = bytes >= (double)machine_block_bytes(m);
    return m->reorder_call_ns + bytes / (far ? m->far_reorder_rate : m->reorder_rate);
}

MachineWeights machine_weights(const Machine *m, double bytes)
{
    const double last = m->l3_bytes / 4; /* other cores and other data want their share */
    return bytes <= machine_kept_bytes(m) ? (MachineWeights){"cached", m->l2_rate, 0, false}
           : bytes <= last ? (MachineWeights){"from the last cache", m->l3_rate, (size_t)last, false}
                           : (MachineWeights){"from memory", m->memory_rate, 64 << 20, true};
}

double machine_kernel_worth_operations(const Machine *m)
{
    return 6 * m->region_ns / m->loop_ns;
}

double machine_kernel_worth_elements(const Machine *m)
{
    return machine_kernel_worth_operations(m) / 10;
}

double machine_kept_bytes(const Machine *m)
{
    return m->l2_bytes / 2;
}

int64_t machine_block_bytes(const Machine *m)
{
    return (int64_t)(m->l2_bytes / 8);
}
