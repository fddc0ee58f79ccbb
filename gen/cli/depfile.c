/* Files that were read, as a rule for Make. */
#include "depfile.h"

#include <string.h>

/* As Make and Ninja read it; "\r" and "\n" cannot be said. */
static bool put_name(Text *t, Diag *diag, const char *name)
{
    if (strpbrk(name, "\r\n"))
        return refuse(diag, "--depfile: a file's name has a line break, which a rule cannot have: %s",
                      name);
    for (const char *s = name; *s; s++) {
        if (*s == '$')
            text_puts(t, "$");
        else if (strchr(" #\\:", *s) && (*s != '\\' || strchr(" #\\:", s[1])))
            text_puts(t, "\\");
        text_append(t, s, 1);
    }
    return true;
}

bool write_depfile(Diag *diag, const Options *o, const char *target)
{
    Text t = text_new(diag->arena);
    if (!o->depfile)
        return true;
    if (!put_name(&t, diag, target))
        return false;
    text_puts(&t, ":");
    for (size_t i = 0; i < diag->n_read; i++) {
        text_puts(&t, " \\\n  ");
        if (!put_name(&t, diag, diag->read[i]))
            return false;
    }
    text_puts(&t, "\n");
    return write_file_if_changed(o->depfile, t.data, t.size, diag);
}
