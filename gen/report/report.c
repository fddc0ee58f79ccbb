/* Puts the page together: its own files, d3 and the facts. See report.h. */
#include "report.h"

#include "page_data.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool report_can_write(Diag *diag, const char *path)
{
    struct stat st;
    const char *slash = strrchr(path, '/');
    const char *folder = !slash          ? "."
                         : slash == path ? "/"
                                         : arena_strndup(diag->arena, path, (size_t)(slash - path));
    if (!stat(path, &st) && !S_ISREG(st.st_mode))
        return refuse(diag, "--report %s: is %s", path,
                      S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
    if (access(folder, W_OK) != 0)
        return refuse(diag, "--report %s: no file can be made in %s: %s", path, folder,
                      strerror(errno));
    return true;
}

static const char *part(const char *path)
{
    size_t size;
    const char *text = bundled_file(path, &size);
    if (!text)
        bug("%s is not part of the compiler", path);
    return text;
}

/* Nothing in JSON ends a script element, or begins a comment of HTML, without this character, which stands in strings only. */
static void put_quoted(Text *out, const Text *json)
{
    const char *at = json->data;
    for (const char *next; (next = strchr(at, '<')); at = next + 1) {
        text_append(out, at, (size_t)(next - at));
        text_puts(out, "\\u003c");
    }
    text_puts(out, at);
}

static void put_script(Text *out)
{
    static const char *const scripts[] = {
        "templates/report/common.js", "templates/report/graph.js",  "templates/report/details.js",
        "templates/report/times.js",  "templates/report/memory.js", "templates/report/ledger.js",
        "templates/report/paper.js",  "templates/report/page.js",
    };
    for (size_t i = 0; i < COUNT_OF(scripts); i++)
        text_puts(out, part(scripts[i]));
}

/* A line of page.html that is one of these words stands for what the page holds. */
static void put_page_part(Text *out, const char *word, const Text *json)
{
    if (!strcmp(word, "STYLE"))
        text_puts(out, part("templates/report/page.css"));
    else if (!strcmp(word, "LIBRARY"))
        text_puts(out, part("build/report/d3.js"));
    else if (!strcmp(word, "LICENSE"))
        text_puts(out, part("build/report/d3-license"));
    else if (!strcmp(word, "DATA"))
        put_quoted(out, json);
    else if (!strcmp(word, "SCRIPT"))
        put_script(out);
    else
        text_printf(out, "%s\n", word);
}

bool report_write(const ReportFacts *facts, const char *path, Diag *diag)
{
    Arena *arena = facts->p->arena;
    Text json = text_new(arena), page = text_new(arena);
    text_printf(&json, "{\"manifest\": %s,\n", facts->code->manifest);
    page_data(facts, &json);
    text_puts(&json, "}\n");
    for (const char *at = part("templates/report/page.html"); *at;) {
        const size_t n = strcspn(at, "\n");
        put_page_part(&page, arena_strndup(arena, at, n), &json);
        at += n + (at[n] != 0);
    }
    return write_file_if_changed(path, page.data, page.size, diag);
}
