/* Colour pictures for the samples: PNG files in and out by Debian's libpng, and what is drawn on them. */
#ifndef CANVAS_H
#define CANVAS_H

/* A picture: [height][width][3] with red, green and blue. Whoever makes one calls canvas_free. */
struct canvas {
    int width, height;
    unsigned char *rgb;
};

/* 0xRRGGBB */
typedef unsigned canvas_colour;

/* A picture of one colour; one from a PNG file of any kind, 16 million pixels at most, on white
 * where it is transparent. NULL, or why there is none. */
const char *canvas_make(struct canvas *c, int width, int height, canvas_colour colour);
const char *canvas_load(struct canvas *c, const char *path);
const char *canvas_save(const struct canvas *c, const char *path);
void canvas_free(struct canvas *c);

/* Scales `from` to fit into the picture `to`, from its corner at the top left; its last column and
 * row are repeated beside it. Returns how many pixels of `to` one of `from` is long. */
double canvas_fit(const struct canvas *from, struct canvas *to);

/* Copies `from`, each pixel as a square of `times` pixels, with its corner at x, y. */
void canvas_put(struct canvas *c, int x, int y, const struct canvas *from, int times);

/* Rectangles: full, and a frame of some thickness inside of it. x1 and y1 are outside. What does
 * not fit on the picture is left out. */
void canvas_fill(struct canvas *c, int x0, int y0, int x1, int y1, canvas_colour colour);
void canvas_frame(struct canvas *c, int x0, int y0, int x1, int y1, int thick,
                  canvas_colour colour);

/* Digits, dots, percent signs and spaces: 6 x 8 squares of `size` pixels for each character. */
void canvas_text(struct canvas *c, int x, int y, int size, canvas_colour colour, const char *text);

#endif
