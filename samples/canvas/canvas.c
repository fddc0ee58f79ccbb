#include "canvas.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PIXELS = 1 << 24 /* bounds what a hostile file can make us allocate */ };

static unsigned char *pixel(const struct canvas *c, int x, int y)
{
    return c->rgb + ((size_t)y * (size_t)c->width + (size_t)x) * 3;
}

const char *canvas_make(struct canvas *c, int width, int height, canvas_colour colour)
{
    *c = (struct canvas){.width = width, .height = height};
    if (width < 1 || height < 1 || width > MAX_PIXELS / height)
        return "the picture has no pixels or too many";
    c->rgb = malloc((size_t)width * (size_t)height * 3);
    if (!c->rgb)
        return "out of memory";
    canvas_fill(c, 0, 0, width, height, colour);
    return NULL;
}

void canvas_free(struct canvas *c)
{
    free(c->rgb);
    *c = (struct canvas){0};
}

const char *canvas_load(struct canvas *c, const char *path)
{
    static char said[64]; /* libpng's, which is in the image */
    png_image image = {.version = PNG_IMAGE_VERSION};
    const char *why = NULL;
    *c = (struct canvas){0};
    if (png_image_begin_read_from_file(&image, path)) {
        image.format = PNG_FORMAT_RGB;
        /* Both are below 2^31 in any PNG file. */
        why = canvas_make(c, (int)image.width, (int)image.height, 0xffffff);
        if (!why)
            png_image_finish_read(&image, &(png_color){255, 255, 255}, c->rgb, 0, NULL);
    }
    if (!why && PNG_IMAGE_FAILED(image)) {
        memcpy(said, image.message, sizeof said);
        why = said;
    }
    if (why)
        canvas_free(c);
    png_image_free(&image);
    return why;
}

const char *canvas_save(const struct canvas *c, const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)c->width,
                       .height = (png_uint_32)c->height,
                       .format = PNG_FORMAT_RGB};
    int done = png_image_write_to_file(&image, path, 0, c->rgb, 0, NULL);
    return done ? NULL : "the picture cannot be written";
}

/* The pixels of `from` that pixel i of a scaled picture covers: first and last, one at least. */
static int first_of(int i, double scale, int size)
{
    int k = (int)(i / scale);
    return k < size ? k : size - 1;
}

static int last_of(int i, double scale, int size)
{
    int k = (int)((i + 1) / scale - 1e-9), first = first_of(i, scale, size);
    return k < first ? first : k < size ? k : size - 1;
}

double canvas_fit(const struct canvas *from, struct canvas *to)
{
    double across = (double)to->width / from->width, down = (double)to->height / from->height;
    double scale = across < down ? across : down;
    for (int y = 0; y < to->height; y++)
        for (int x = 0; x < to->width; x++) {
            int x0 = first_of(x, scale, from->width), x1 = last_of(x, scale, from->width);
            int y0 = first_of(y, scale, from->height), y1 = last_of(y, scale, from->height);
            unsigned long sum[3] = {0}, n = 0;
            for (int v = y0; v <= y1; v++)
                for (int u = x0; u <= x1; u++, n++)
                    for (int k = 0; k < 3; k++)
                        sum[k] += pixel(from, u, v)[k];
            for (int k = 0; k < 3; k++)
                pixel(to, x, y)[k] = (unsigned char)((sum[k] + n / 2) / n);
        }
    return scale;
}

void canvas_put(struct canvas *c, int x, int y, const struct canvas *from, int times)
{
    for (int v = 0; v < from->height * times && y + v < c->height; v++)
        for (int u = 0; u < from->width * times && x + u < c->width; u++)
            if (x + u >= 0 && y + v >= 0)
                memcpy(pixel(c, x + u, y + v), pixel(from, u / times, v / times), 3);
}

static int within(int v, int size)
{
    return v < 0 ? 0 : v < size ? v : size;
}

void canvas_fill(struct canvas *c, int x0, int y0, int x1, int y1, canvas_colour colour)
{
    for (int y = within(y0, c->height); y < within(y1, c->height); y++)
        for (int x = within(x0, c->width); x < within(x1, c->width); x++)
            for (int k = 0; k < 3; k++)
                pixel(c, x, y)[k] = (unsigned char)(colour >> (16 - 8 * k));
}

void canvas_frame(struct canvas *c, int x0, int y0, int x1, int y1, int thick, canvas_colour colour)
{
    canvas_fill(c, x0, y0, x1, y0 + thick, colour);
    canvas_fill(c, x0, y1 - thick, x1, y1, colour);
    canvas_fill(c, x0, y0 + thick, x0 + thick, y1 - thick, colour);
    canvas_fill(c, x1 - thick, y0 + thick, x1, y1 - thick, colour);
}

/* Seven rows of five squares each, the leftmost is the highest bit. */
static const unsigned char glyphs[][7] = {
    {14, 17, 19, 21, 25, 17, 14}, /* 0 */
    {4, 12, 4, 4, 4, 4, 14},      {14, 17, 1, 2, 4, 8, 31},     {31, 2, 4, 2, 1, 17, 14},
    {2, 6, 10, 18, 31, 2, 2},     {31, 16, 30, 1, 1, 17, 14},   {6, 8, 16, 30, 17, 17, 14},
    {31, 1, 2, 4, 8, 8, 8},       {14, 17, 17, 14, 17, 17, 14}, {14, 17, 17, 15, 1, 2, 12},
    {0, 0, 0, 0, 0, 12, 12},  /* . */
    {24, 25, 2, 4, 8, 19, 3}, /* % */
};

void canvas_text(struct canvas *c, int x, int y, int size, canvas_colour colour, const char *text)
{
    static const char known[] = "0123456789.%";
    for (; *text; text++, x += 6 * size) {
        const char *at = strchr(known, *text);
        for (int k = 0; at && k < 35; k++) {
            int left = x + k % 5 * size, top = y + k / 5 * size;
            if (glyphs[at - known][k / 5] >> (4 - k % 5) & 1)
                canvas_fill(c, left, top, left + size, top + size, colour);
        }
    }
}
