/* Host tool: to_array PICTURE.pgm... > pictures.h makes C arrays out of pictures, cropped and
 * scaled as the network wants them. Hexadecimal floats keep every bit. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "picture.h"

/* The file's name without folder and suffix, and nothing in it that could be code. */
static void print_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    printf("    {\"");
    for (const char *c = slash ? slash + 1 : path; *c && *c != '.'; c++)
        putchar(isalnum((unsigned char)*c) ? *c : '_');
    printf("\", {");
}

static const char *print_picture(const char *path)
{
    float input[DIGIT_SIDE * DIGIT_SIDE];
    const char *why = picture_load(path, input);
    if (why)
        return why;
    print_name(path);
    for (int i = 0; i < DIGIT_SIDE * DIGIT_SIDE; i++)
        printf("%s%af,", i % 6 ? " " : "\n        ", (double)input[i]);
    printf("}},\n");
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: to_array PICTURE.pgm... > pictures.h\n");
        return 2;
    }
    printf("/* Made by to_array. */\n"
           "static const struct {\n    const char *name;\n    float input[%d];\n} pictures[] = {\n",
           DIGIT_SIDE * DIGIT_SIDE);
    for (int i = 1; i < argc; i++) {
        const char *why = print_picture(argv[i]);
        if (why) {
            fprintf(stderr, "to_array: %s: %s\n", argv[i], why);
            return 1;
        }
    }
    printf("};\n");
    return fflush(stdout) != 0;
}
