/* Other programs, and a folder that does not outlive this one: see process.h. */
#include "process.h"

#include "../base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void become(const char *const words[])
{
    execvp(words[0], (char *const *)(uintptr_t)words);
    static const char lost[] = ": cannot be started\n";
    if (write(STDOUT_FILENO, words[0], strlen(words[0])) < 0 ||
        write(STDOUT_FILENO, lost, strlen(lost)) < 0)
        _exit(126);
    _exit(127);
}

static bool await(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool run_command(const char *const words[], const char *isa, Text *out)
{
    char block[4096];
    int ends[2];
    const char *limit = isa ? arena_upper(out->arena, isa) : NULL;
    if (pipe(ends))
        return false;
    const pid_t child = fork();
    if (child == 0) {
        const int nothing = open("/dev/null", O_RDONLY);
        dup2(nothing, STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (limit)
            setenv("ONEDNN_MAX_CPU_ISA", limit, 1);
        become(words);
    }
    close(ends[1]);
    for (ssize_t n; child > 0 && (n = read(ends[0], block, sizeof block)) != 0;)
        if (n > 0)
            text_append(out, block, (size_t)n);
        else if (errno != EINTR)
            break;
    close(ends[0]);
    return child > 0 && await(child);
}

const char *end_of_output(const Text *out)
{
    enum { MOST = 300 };
    size_t n = out->size;
    while (n && out->data[n - 1] == '\n')
        n--;
    const size_t from = n > MOST ? n - MOST : 0;
    if (!n)
        return "(it said nothing)";
    return utf8_one_line(out->arena, arena_strndup(out->arena, out->data + from, n - from));
}

bool build_folder(Diag *diag, const char *place, const char *dir, const char *target)
{
    Text out = text_new(diag->arena);
    const char *const words[] = {"ninja", "-C", dir, target, NULL};
    return run_command(words, NULL, &out) ||
           refuse_at(diag, place, "what is emitted could not be built here by ninja: %s",
                     end_of_output(&out));
}

/* Removes the folder when nobody has the pipe open any more. */
static _Noreturn void end_with_parent(const char *path, const int ends[2])
{
    char byte;
    setsid(); /* what ends us is not meant for it */
    close(ends[1]);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
        ;
    become((const char *const[]){"rm", "-rf", "--", path, NULL});
}

bool make_folder(Arena *arena, Diag *diag, Folder *f)
{
    int ends[2];
    const char *named = getenv("TMPDIR"), *temporary = named && *named ? named : "/tmp";
    char *path = arena_printf(arena, "%s/dnnlc-XXXXXX", temporary);
    if (!mkdtemp(path) || pipe(ends) || (f->keeper = fork()) < 0)
        return refuse(diag, "%s: no temporary folder can be made there: %s", temporary,
                      strerror(errno));
    if (f->keeper == 0)
        end_with_parent(path, ends);
    close(ends[0]);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    f->path = path;
    f->alive = ends[1];
    return true;
}

void remove_folder(const Folder *f)
{
    close(f->alive);
    await(f->keeper);
}
