/* A build tool: `bundle OUT.c FILE…` writes the files as byte arrays with the table of bundle.h.
 * Byte arrays and not string literals, because C17 promises only 4095 characters in one of those.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fail(const char *path)
{
    perror(path);
    exit(1);
}

static size_t write_array(FILE *out, const char *path, int index)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        fail(path);
    fprintf(out, "static const unsigned char file_%d[] = {", index);
    size_t n = 0;
    for (int c; (c = getc(in)) != EOF; n++)
        fprintf(out, "%s%d,", n % 24 ? "" : "\n    ", c);
    if (ferror(in))
        fail(path);
    fclose(in);
    fputs("\n    0};\n", out);
    return n;
}

static void write_bundle(FILE *out, int n, char **paths)
{
    size_t *sizes = calloc((size_t)n + 1, sizeof *sizes);
    if (!sizes)
        fail("bundle");
    fputs("/* Written by bundle. Do not edit. */\n#include \"bundle.h\"\n\n", out);
    for (int i = 0; i < n; i++)
        sizes[i] = write_array(out, paths[i], i);
    fputs("\nconst BundledFile bundled_files[] = {\n", out);
    for (int i = 0; i < n; i++)
        fprintf(out, "    {\"%s\", file_%d, %zu},\n", paths[i], i, sizes[i]);
    fputs("    {0, 0, 0}};\n", out);
    free(sizes);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: bundle OUT.c FILE...\n", stderr);
        return 2;
    }
    FILE *out = fopen(argv[1], "w");
    if (!out)
        fail(argv[1]);
    write_bundle(out, argc - 2, argv + 2);
    if (ferror(out) | fclose(out))
        fail(argv[1]);
    return 0;
}
