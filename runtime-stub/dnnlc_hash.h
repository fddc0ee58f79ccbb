/* A hash of weights, by which `init` knows the file that the model was compiled with. The compiler and emitted code share it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNLC_HASH_H
#define DNNLC_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* FNV-1a over little-endian words of 64 bits instead of bytes, in four independent chains (word k goes to chain k % 4), which are joined in
 * the end together with the bytes that are left and the size. Finds damage; it does not protect against somebody who wants another file
 * to have the same hash. */
static inline uint64_t dnnlc_hash(const unsigned char *data, size_t size)
{
    const uint64_t prime = UINT64_C(0x100000001b3), basis = UINT64_C(0xcbf29ce484222325);
    uint64_t chain[4] = {basis, basis + 1, basis + 2, basis + 3}, hash = basis ^ size;
    size_t at = 0;
    for (; size - at >= sizeof chain; at += sizeof chain)
        for (size_t k = 0; k < 4; k++) {
            uint64_t word;
            memcpy(&word, data + at + k * sizeof word, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
            word = __builtin_bswap64(word);
#endif
            chain[k] = (chain[k] ^ word) * prime;
            chain[k] ^= chain[k] >> 32;
        }
    for (size_t k = 0; k < 4; k++)
        hash = (hash ^ chain[k]) * prime;
    for (; at < size; at++)
        hash = (hash ^ data[at]) * prime;
    return hash;
}

#endif
