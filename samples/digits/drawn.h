/* A seven, drawn in text, for programs on devices that have no files: the input of the digit network without a picture around it. */
#ifndef DRAWN_H
#define DRAWN_H

enum { DRAWN_SIDE = 28, DRAWN_BOX = 20, DRAWN_EDGE = (DRAWN_SIDE - DRAWN_BOX) / 2 };

static const char drawn_box[] = "####################"
                                "####################"
                                "####################"
                                "                +###"
                                "               +### "
                                "              +###+ "
                                "              ####  "
                                "             +###+  "
                                "             ####   "
                                "            +###+   "
                                "            ####    "
                                "           +###+    "
                                "           ####     "
                                "          +###+     "
                                "          ####      "
                                "         +###+      "
                                "         ####       "
                                "        +###+       "
                                "        ####        "
                                "        ####        ";

/* 1 is ink and 0 is paper. */
static void drawn_image(float image[DRAWN_SIDE * DRAWN_SIDE])
{
    for (int i = 0; i < DRAWN_SIDE * DRAWN_SIDE; i++)
        image[i] = 0.0f;
    for (int i = 0; i < DRAWN_BOX * DRAWN_BOX; i++) {
        const int y = DRAWN_EDGE + i / DRAWN_BOX, x = DRAWN_EDGE + i % DRAWN_BOX;
        image[y * DRAWN_SIDE + x] = drawn_box[i] == '#' ? 1.0f : drawn_box[i] == '+' ? 0.5f : 0.0f;
    }
}

#endif
