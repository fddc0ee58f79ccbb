#include "bench.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* To those of the cores it may use that have the numbers first … first + cores - 1. */
static void pin(int first, int cores)
{
    cpu_set_t allowed, chosen;
    CPU_ZERO(&chosen);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE && cores > 0; cpu++)
        if (CPU_ISSET(cpu, &allowed) && first-- <= 0) {
            CPU_SET(cpu, &chosen);
            cores--;
        }
    sched_setaffinity(0, sizeof chosen, &chosen);
}

static void become(char *const *argv, int first, int cores, int out, int err)
{
    if (cores > 0)
        pin(first, cores);
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

void start_process(char *const *argv, int first, int cores, struct process *p)
{
    *p = (struct process){.status = 127, .pid = -1};
    p->out_file = tmpfile();
    p->err_file = tmpfile();
    p->begin = now_ms();
    if (p->out_file && p->err_file)
        p->pid = fork();
    if (p->pid == 0)
        become(argv, first, cores, fileno(p->out_file), fileno(p->err_file));
}

void finish_process(struct process *p)
{
    int status;
    if (p->pid > 0 && waitpid(p->pid, &status, 0) == p->pid)
        p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    p->ms = now_ms() - p->begin;
    if (p->out_file && p->err_file) {
        read_back(p->out_file, p->out, sizeof p->out);
        last_line(p->err_file, p->err, sizeof p->err);
    }
    if (p->out_file)
        fclose(p->out_file);
    if (p->err_file)
        fclose(p->err_file);
}

void run_process(char *const *argv, int cores, struct process *p)
{
    start_process(argv, 0, cores, p);
    finish_process(p);
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
