/* Files of weights: their head, and a hash. The compiler and emitted code share it.
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

/* What a file of weights begins with, in little-endian order: what it is and the version of its form, its size, a hash of the code that reads it, a hash of
 * the weights, and the SHA-256 of the model that they are from. */
#define DNNLC_WEIGHTS_MAGIC "dnnlc-w1"
enum {
    DNNLC_WEIGHTS_SIZE_AT = 8,
    DNNLC_WEIGHTS_CODE_AT = 16,
    DNNLC_WEIGHTS_HASH_AT = 24,
    DNNLC_WEIGHTS_MODEL_AT = 32,
    DNNLC_WEIGHTS_HEAD = 64
};

static inline uint64_t dnnlc_weights_number(const unsigned char *file, size_t at)
{
    uint64_t number = 0;
    for (size_t i = 8; i > 0; i--)
        number = number << 8 | file[at + i - 1];
    return number;
}

/* Why a file of so many bytes, the head among them, is not one for this code; NULL: it is one. */
static inline const char *dnnlc_weights_refusal(const unsigned char *file, size_t size,
                                                uint64_t code)
{
    if (size < DNNLC_WEIGHTS_HEAD || memcmp(file, DNNLC_WEIGHTS_MAGIC, 8) != 0)
        return "this is no file of weights, or one of another version of dnnlc";
    if (dnnlc_weights_number(file, DNNLC_WEIGHTS_SIZE_AT) != size)
        return "the weights are of another size than the model wants";
    if (dnnlc_weights_number(file, DNNLC_WEIGHTS_CODE_AT) != code)
        return "the weights are those of another model, or of other options";
    if (dnnlc_weights_number(file, DNNLC_WEIGHTS_HASH_AT) !=
        dnnlc_hash(file + DNNLC_WEIGHTS_HEAD, size - DNNLC_WEIGHTS_HEAD))
        return "the weights are damaged";
    return NULL;
}

#endif
