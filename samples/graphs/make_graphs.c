/* make_graphs NAME: prints the text IR of a well-known network, with seeded weights. */
#include "net.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*print)(void);
} graphs[] = {
    {"lenet5", lenet5},         {"resnet50", resnet50},           {"mobilenetv2", mobilenetv2},
    {"squeezenet", squeezenet}, {"encoder_block", encoder_block}, {"forest", forest},
    {"landmarks", landmarks}};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
        if (argc == 2 && !strcmp(argv[1], graphs[i].name)) {
            graphs[i].print();
            return fflush(stdout) || ferror(stdout);
        }
    fputs("usage: make_graphs NAME >NAME.ir, where NAME is one of\n", stderr);
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
        fprintf(stderr, "  %s\n", graphs[i].name);
    return 2;
}
