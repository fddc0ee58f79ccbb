/* UTF-8: see base/utf8.h. */
#include "utf8.h"

#include <string.h>

size_t utf8_decode(const char *s, size_t n, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* by length */
    const uint8_t *at = (const uint8_t *)s;
    const size_t length = *at < 0x80   ? 1
                          : *at < 0xc0 ? 0
                          : *at < 0xe0 ? 2
                          : *at < 0xf0 ? 3
                          : *at < 0xf8 ? 4
                                       : 0;
    if (length == 0 || length > n)
        return 0;
    uint32_t c = length == 1 ? *at : *at & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (at[i] & 0x3fU);
    }
    if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    *character = c;
    return length;
}

bool utf8_is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || /* C0, C1 */
           c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069) || /* directions */
           c == 0x2028 || c == 0x2029;     /* line and paragraph separators */
}

const char *utf8_one_line(Arena *arena, const char *text)
{
    Text t = text_new(arena);
    for (size_t n = strlen(text), length; n > 0; text += length, n -= length) {
        uint32_t c;
        length = utf8_decode(text, n, &c);
        if (length > 0 && !utf8_is_control(c)) {
            text_append(&t, text, length);
        } else {
            text_puts(&t, "?");
            length = length > 0 ? length : 1;
        }
    }
    return t.data;
}
