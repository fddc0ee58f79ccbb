/* make_graphs NAME: prints the text IR of a well-known network, with seeded weights. */
#include "net.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*print)(void);
    void (*print_on)(enum bytes); /* what may be quantised as well */
} graphs[] = {{"lenet5", lenet5, NULL},
              {"resnet50", resnet50, NULL},
              {"mobilenetv2", mobilenetv2, NULL},
              {"squeezenet", squeezenet, NULL},
              {"encoder_block", encoder_block, NULL},
              {"forest", forest, NULL},
              {"boosted", boosted, NULL},
              {"landmarks", landmarks, NULL},
              {"style", NULL, style},
              {"lprnet", NULL, lprnet},
              {"mobilefacenet", NULL, mobilefacenet},
              {"detr", NULL, detr},
              {"mlp_row", NULL, mlp_row},
              {"wake_word", NULL, wake_word},
              {"digit_decoder", NULL, digit_decoder},
              {"keywords", NULL, keywords}};

/* What follows the name of the graph: floats, or how it is quantised. */
static bool read_bytes(const char *text, enum bytes *bytes)
{
    static const char *const names[] = {"", "_dynamic", "_static"};
    for (int i = FLOATS; i <= STATIC; i++)
        if (!strcmp(text, names[i])) {
            *bytes = (enum bytes)i;
            return true;
        }
    return false;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof graphs / sizeof *graphs; i++) {
        const size_t n = strlen(graphs[i].name);
        enum bytes bytes;
        if (strncmp(argv[1], graphs[i].name, n) || !read_bytes(argv[1] + n, &bytes) ||
            (bytes != FLOATS && !graphs[i].print_on))
            continue;
        if (graphs[i].print)
            graphs[i].print();
        else
            graphs[i].print_on(bytes);
        return fflush(stdout) || ferror(stdout);
    }
    fputs(
        "usage: make_graphs NAME >NAME.ir, where NAME is one of these, those with a star also with "
        "_dynamic or _static behind it\n",
        stderr);
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
        fprintf(stderr, "  %s%s\n", graphs[i].name, graphs[i].print_on ? " *" : "");
    return 2;
}
