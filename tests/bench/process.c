#include "bench.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void pin(int cores)
{
    cpu_set_t allowed, chosen;
    CPU_ZERO(&chosen);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE && cores > 0; cpu++)
        if (CPU_ISSET(cpu, &allowed)) {
            CPU_SET(cpu, &chosen);
            cores--;
        }
    sched_setaffinity(0, sizeof chosen, &chosen);
}

static void become(char *const *argv, int cores, int out, int err)
{
    if (cores > 0)
        pin(cores);
    if (dup2(out, 1) >= 0 && dup2(err, 2) >= 0)
        execvp(argv[0], argv);
    _exit(127);
}

/* The file's text from its start, cut to fit. */
static void read_back(FILE *file, char *text, size_t size)
{
    rewind(file);
    text[fread(text, 1, size - 1, file)] = 0;
}

static void last_line(FILE *file, char *line, size_t size)
{
    char next[512];
    rewind(file);
    *line = 0;
    while (fgets(next, sizeof next, file))
        if (next[strspn(next, " \t\n")])
            snprintf(line, size, "%.*s", (int)strcspn(next, "\n"), next);
}

void run_process(char *const *argv, int cores, struct process *p)
{
    FILE *out = tmpfile(), *err = tmpfile();
    int status = 127 << 8;
    *p = (struct process){.status = 127};
    if (out && err) {
        pid_t pid = fork();
        if (pid == 0)
            become(argv, cores, fileno(out), fileno(err));
        if (pid > 0 && waitpid(pid, &status, 0) == pid)
            p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        read_back(out, p->out, sizeof p->out);
        last_line(err, p->err, sizeof p->err);
    }
    if (out)
        fclose(out);
    if (err)
        fclose(err);
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool newer(const char *a, const char *b)
{
    struct stat sa, sb;
    if (stat(a, &sa) != 0 || stat(b, &sb) != 0)
        return false;
    return sa.st_mtim.tv_sec != sb.st_mtim.tv_sec ? sa.st_mtim.tv_sec > sb.st_mtim.tv_sec
                                                  : sa.st_mtim.tv_nsec > sb.st_mtim.tv_nsec;
}
