/* Grey pictures for the digit network: reads PGM files and makes the network's input out of them.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdio.h>

enum {
    DIGIT_SIDE = 28, /* the network's input is DIGIT_SIDE x DIGIT_SIDE */
    DIGIT_BOX = 20 /* the longer side of the ink in it; draw.py trains with the same two numbers */
};

/* Reads a PGM picture (P5 or P2, any size; the file may be hostile), finds the digit, dark on light
 * or light on dark, crops, scales and centres it: in input[row][column], 1 is ink and 0 is paper.
 * Returns NULL, or why there is no digit. */
const char *picture_read_digit(FILE *f, float input[DIGIT_SIDE * DIGIT_SIDE]);

/* The same of a file by its name; "-" is standard input. */
const char *picture_load(const char *path, float input[DIGIT_SIDE * DIGIT_SIDE]);

#endif
