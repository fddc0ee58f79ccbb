/* The distance of Damerau and Levenshtein, of words as people type them. */
#include "nearest.h"

#include <ctype.h>
#include <string.h>

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t rows[3][LONG_WORD + 1]; /* of a prefix of a: the last three, each to all prefixes of b */
    if (na > LONG_WORD || nb > LONG_WORD)
        return LONG_WORD;
    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *now = rows[i % 3];
        const size_t *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + !same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return rows[na % 3][nb];
}

Nearest nearest_to(Arena *arena, const char *typed)
{
    return (Nearest){arena, typed, NULL, SIZE_MAX};
}

static bool begins(const char *word, size_t size, const char *typed, size_t n)
{
    enum { LEAST = 3 };
    return n >= LEAST && size > n && !edit_distance(word, n, typed, n);
}

/* A third of the letters may be wrong, and one in short words; of one letter none may. The beginning of a word is as good as one wrong letter. */
void nearest_try(Nearest *n, const char *word, size_t size)
{
    const size_t typed = strlen(n->typed), most = typed / 3 > 1 ? typed / 3 : typed > 1;
    size_t distance = edit_distance(n->typed, typed, word, size);
    if (distance > 1 && begins(word, size, n->typed, typed))
        distance = 1;
    if (distance > most || distance >= n->distance || distance >= size)
        return;
    n->best = arena_strndup(n->arena, word, size);
    n->distance = distance;
}

void nearest_try_list(Nearest *n, const char *list, char separator)
{
    for (const char *end; *list; list = *end ? end + 1 : end) {
        end = strchr(list, separator);
        end = end ? end : list + strlen(list);
        nearest_try(n, list, (size_t)(end - list));
    }
}

const char *did_you_mean(const Nearest *n)
{
    return n->best ? arena_printf(n->arena, " (did you mean '%s'?)", n->best) : "";
}
