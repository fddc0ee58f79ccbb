/* Counts the pixels of a colour in a PNG picture, read by the samples' canvas. SPDX-License-Identifier: Apache-2.0
 *
 *   colours PICTURE.png RRGGBB [TWICE.png]    also writes it with twice its width and height */
#include <stdio.h>
#include <stdlib.h>

#include "canvas.h"

int main(int argc, char **argv)
{
    struct canvas c;
    const char *why =
        argc > 2 ? canvas_load(&c, argv[1]) : "usage: colours PICTURE.png RRGGBB [TWICE.png]";
    if (why) {
        fprintf(stderr, "colours: %s\n", why);
        return 1;
    }
    unsigned long colour = strtoul(argv[2], NULL, 16);
    int n = 0;
    for (int i = 0; i < c.width * c.height; i++) {
        const unsigned char *p = c.rgb + 3 * i;
        n += colour == (p[0] * 0x10000ul + p[1] * 0x100ul + p[2]);
    }
    struct canvas twice = {0};
    if (argc > 3 && !(why = canvas_make(&twice, 2 * c.width, 2 * c.height, 0))) {
        canvas_put(&twice, 0, 0, &c, 2);
        why = canvas_save(&twice, argv[3]);
    }
    canvas_free(&twice);
    canvas_free(&c);
    if (why) {
        fprintf(stderr, "colours: %s\n", why);
        return 1;
    }
    printf("%d\n", n);
    return 0;
}
