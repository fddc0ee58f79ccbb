/* Sebastiano Vigna's splitmix64, by which everything random is made: the same numbers on every machine. */
#pragma once

#include <stdint.h>

/* Number i of the generator that begins at `seed`. */
static inline uint64_t splitmix64(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The same as a fraction in [0, 1), of 53 bits. */
static inline double random_fraction(uint64_t seed, uint64_t i)
{
    return (double)(splitmix64(seed, i) >> 11) * 0x1p-53;
}
