/* Mutations of text: numbers become others, words and lines come from elsewhere, vanish or come twice; and single bytes. */
#include "fuzz.h"

#include "../../gen/base/random.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

size_t dice(Dice *d, size_t n)
{
    return (size_t)(splitmix64(d->seed, d->used++) % n);
}

int64_t dice_number(Dice *d)
{
    static const int64_t numbers[] = {INT64_MIN,
                                      INT64_MAX,
                                      INT64_MIN + 1,
                                      INT64_C(1) << 62,
                                      INT64_C(1) << 32,
                                      UINT32_MAX,
                                      INT32_MAX,
                                      INT32_MIN,
                                      INT64_C(1) << 45,
                                      65536,
                                      65535,
                                      1000000,
                                      4096,
                                      1024,
                                      256,
                                      255,
                                      128,
                                      127,
                                      100,
                                      64,
                                      32,
                                      17,
                                      16,
                                      13,
                                      9,
                                      8};
    const size_t pick = dice(d, 3);
    if (pick == 0)
        return numbers[dice(d, COUNT_OF(numbers))];
    return (int64_t)dice(d, pick == 1 ? 8 : 4) - (pick == 1 ? 2 : 0);
}

typedef struct Piece {
    size_t at, end;
} Piece;

/* Bytes [from, to) become `n` others; false if there is no place for them. */
static bool splice(uint8_t *data, size_t *size, size_t most, Piece p, const void *with, size_t n)
{
    if (*size - (p.end - p.at) + n > most)
        return false;
    memmove(data + p.at + n, data + p.end, *size - p.end);
    if (n)
        memcpy(data + p.at, with, n);
    *size = *size - (p.end - p.at) + n;
    return true;
}

static bool in_word(int c)
{
    return isalnum(c) || c == '_' || c == '.' || c == '-';
}

/* The first run of bytes behind a random place for which `is` holds, or of none. */
static Piece find(Dice *d, const uint8_t *data, size_t size, bool (*is)(int))
{
    size_t at = dice(d, size);
    while (at > 0 && is(data[at - 1]) && is(data[at]))
        at--;
    while (at < size && !is(data[at]))
        at++;
    size_t end = at;
    while (end < size && is(data[end]))
        end++;
    return (Piece){at, end};
}

static bool is_digit(int c)
{
    return isdigit(c) != 0;
}

static bool in_line(int c)
{
    return c != '\n';
}

static void change_number(Dice *d, uint8_t *data, size_t *size, size_t most)
{
    char text[32];
    const Piece p = find(d, data, *size, is_digit);
    const int n = snprintf(text, sizeof text, "%lld", (long long)dice_number(d));
    if (p.at < p.end)
        splice(data, size, most, p, text, (size_t)n);
}

/* A word or a line instead of another one, before it, or nothing instead. */
static void change_piece(Dice *d, uint8_t *data, size_t *size, size_t most, bool (*is)(int))
{
    uint8_t copy[512];
    Piece from = find(d, data, *size, is), to = find(d, data, *size, is);
    size_t n = from.end - from.at;
    n = n < sizeof copy ? n : sizeof copy;
    memcpy(copy, data + from.at, n);
    const size_t what = dice(d, 4);
    if (what == 0)
        n = 0;
    if (what == 1) {
        to.end = to.at;
        if (is == in_line && n < sizeof copy)
            copy[n++] = '\n';
    }
    splice(data, size, most, to, copy, n);
}

static void change_byte(Dice *d, uint8_t *data, size_t *size, size_t most)
{
    static const char bytes[] = "{}[]()%\"@#=,:;-_.$*|/\\0123456789einfxab \n\t\xff\x80\xc2";
    const uint8_t byte = (uint8_t)bytes[dice(d, sizeof bytes)];
    const size_t at = dice(d, *size), what = dice(d, 4);
    splice(data, size, most, (Piece){at, at + (what != 0)}, &byte, what != 1);
}

size_t mutate_text(uint8_t *data, size_t size, size_t most, uint64_t seed)
{
    Dice d = {.seed = seed};
    for (size_t n = 1 + dice(&d, 3); n > 0; n--) {
        if (size == 0 && most > 0)
            data[size++] = '\n';
        switch (dice(&d, 5)) {
        case 0:
        case 1:
            change_number(&d, data, &size, most);
            break;
        case 2:
            change_piece(&d, data, &size, most, in_word);
            break;
        case 3:
            change_piece(&d, data, &size, most, in_line);
            break;
        default:
            change_byte(&d, data, &size, most);
        }
    }
    return size;
}

size_t mutate_bytes(uint8_t *data, size_t size, size_t most, uint64_t seed)
{
    Dice d = {.seed = seed};
    for (size_t n = 1 + dice(&d, 4); n > 0; n--) {
        if (size == 0 && most > 0)
            data[size++] = 0;
        const size_t at = dice(&d, size), left = size - at;
        const int64_t number = dice_number(&d);
        switch (dice(&d, 6)) {
        case 0:
            data[at] ^= (uint8_t)(1u << dice(&d, 8));
            break;
        case 1:
            data[at] = (uint8_t)number;
            break;
        case 2:
            memcpy(data + at, &number, left < sizeof number ? left : sizeof number);
            break;
        case 3: { /* a piece from elsewhere */
            const size_t from = dice(&d, size), length = 1 + dice(&d, 32);
            const size_t longest = size - (from > at ? from : at);
            memmove(data + at, data + from, length < longest ? length : longest);
            break;
        }
        case 4:
            splice(data, &size, most, (Piece){at, at}, &number, 1 + dice(&d, sizeof number));
            break;
        default: {
            const size_t length = 1 + dice(&d, 16);
            splice(data, &size, most, (Piece){at, at + (length < left ? length : left)}, NULL, 0);
        }
        }
    }
    return size;
}
