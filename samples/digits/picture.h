/* Grey pictures for the digit network: reads PGM files and makes the network's input out of them.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdio.h>

enum {
    DIGIT_SIDE = 28, /* the network's input is DIGIT_SIDE x DIGIT_SIDE */
    DIGIT_BOX = 20 /* the longer side of the ink in it; draw.py trains with the same two numbers */
};

struct picture {
    int width, height;
    float *grey; /* [height][width], 0 is black and 1 is white */
};

/* Reads a PGM picture (P5 or P2, comments, maxval up to 65535). The file may be hostile. Returns
 * NULL, or what is wrong with the file; then there is nothing to free. */
const char *picture_read(struct picture *p, FILE *f);

void picture_free(struct picture *p);

/* Finds the digit, dark on light or light on dark, crops, scales and centres it; 1 is ink and 0 is
 * paper. Returns NULL, or why there is no digit. */
const char *picture_to_input(const struct picture *p, float input[DIGIT_SIDE * DIGIT_SIDE]);

#endif
