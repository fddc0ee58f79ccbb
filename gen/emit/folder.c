/* Writes a folder of files as a whole: see emit/folder.h.
 *
 * All files that differ are written into a folder of their own inside of the wanted one; only when every byte is there are they
 * exchanged with the ones before, which takes one system call each and needs no space. build.ninja goes first and comes back last:
 * should the process be killed between these calls, the folder cannot be built, rather than be built from a mixture. */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAGING ".dnnlc-new"
#define BUILD_FILE "build.ninja"
#define OLD_BUILD_FILE "build.ninja.old"
#define ASIDE STAGING ".aside"
#define WRITTEN_BY "# Written by dnnlc "

enum { CHUNK = 1 << 20 }; /* bytes written between two looks at pending signals */

typedef struct Folder {
    const char *dir, *first_made; /* the outermost folder that was made; NULL: none */
    Arena *arena;
    Diag *diag;
    int fd, staging; /* the folders; -1: not open */
    const EmitFile *files;
    size_t n;
    sigset_t ending; /* signals that wait until all is done */
    bool *staged;    /* by file: it is new or has changed */
    bool *was;       /* by file: one of this name was there before */
} Folder;

static bool fails(const Folder *f, const char *name)
{
    const int error = errno;
    return refuse(f->diag, "%s%s%s: %s", f->dir, *name ? "/" : "", name, strerror(error));
}

/* --- signals --------------------------------------------------------------------------------------------------------- */

/* Those that would end the process. */
static void ending_signals(sigset_t *set)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    struct sigaction action;
    sigemptyset(set);
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        if (!sigaction(signals[i], NULL, &action) && action.sa_handler != SIG_IGN)
            sigaddset(set, signals[i]);
}

/* One of them is waiting to be delivered. */
static bool is_interrupted(const sigset_t *ending)
{
    sigset_t pending;
    sigpending(&pending);
    for (int s = 1; s < NSIG; s++)
        if (sigismember(ending, s) == 1 && sigismember(&pending, s) == 1)
            return true;
    return false;
}

/* --- folders --------------------------------------------------------------------------------------------------------- */

static bool make_folders(Folder *f)
{
    struct stat st;
    if (!stat(f->dir, &st))
        return S_ISDIR(st.st_mode) || refuse(f->diag, "%s: exists and is not a folder", f->dir);
    for (char *path = arena_strdup(f->arena, f->dir), *slash = path + 1;; slash++) {
        const char c = *slash;
        if (c && c != '/')
            continue;
        *slash = 0;
        if (!mkdir(path, 0777)) {
            if (!f->first_made)
                f->first_made = arena_strdup(f->arena, path);
        } else if (errno != EEXIST) {
            return refuse(f->diag, "%s: %s", path, strerror(errno));
        }
        *slash = c;
        if (!c)
            return true;
    }
}

/* Takes away what make_folders has made, the innermost first. */
static void remove_made(const Folder *f)
{
    if (!f->first_made)
        return;
    const size_t outermost = strlen(f->first_made);
    char *path = arena_strdup(f->arena, f->dir);
    for (size_t n = strlen(path); n >= outermost; n--)
        if (!path[n] || path[n] == '/') {
            path[n] = 0;
            rmdir(path);
        }
}

/* Takes the staging folder away with all that is in it: files that were replaced, or those of a process that was killed. */
static void remove_staging(const Folder *f)
{
    DIR *entries = fdopendir(f->staging);
    for (struct dirent *e; entries && (e = readdir(entries));)
        unlinkat(f->staging, e->d_name, 0);
    for (size_t i = 0; !entries && i < f->n;
         i++) /* there is no memory to list them: those of this process at least */
        unlinkat(f->staging, f->files[i].name, 0);
    unlinkat(f->staging, OLD_BUILD_FILE, 0);
    if (entries)
        closedir(entries);
    else
        close(f->staging);
    unlinkat(f->fd, STAGING, AT_REMOVEDIR);
}

static bool open_staging(Folder *f)
{
    if (mkdirat(f->fd, STAGING, 0777) && errno != EEXIST)
        return fails(f, STAGING);
    f->staging = openat(f->fd, STAGING, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->staging >= 0)
        return true;
    fails(f, STAGING);
    unlinkat(f->fd, STAGING, AT_REMOVEDIR);
    return false;
}

static bool is_build_file(const Folder *f, size_t i)
{
    return !strcmp(f->files[i].name, BUILD_FILE);
}

/* --- files ----------------------------------------------------------------------------------------------------------- */

static bool write_all(const Folder *f, int fd, const EmitFile *file)
{
    const char *data = file->data;
    for (size_t at = 0; at < file->size;) {
        const size_t left = file->size - at;
        const ssize_t n = write(fd, data + at, left < CHUNK ? left : CHUNK);
        if (n < 0 && errno != EINTR)
            return false;
        if (is_interrupted(&f->ending)) {
            errno = EINTR;
            return false;
        }
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool stage(Folder *f, size_t i)
{
    const EmitFile *file = &f->files[i];
    struct stat st;
    if (file_has_content(f->fd, file->name, file->data, file->size))
        return true;
    f->was[i] = !fstatat(f->fd, file->name, &st, AT_SYMLINK_NOFOLLOW);
    if (f->was[i] && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return fails(f, file->name);
    }
    unlinkat(f->staging, file->name, 0);
    const int fd = openat(f->staging, file->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return fails(f, file->name);
    f->staged[i] = true;
    const bool ok = write_all(f, fd, file);
    const int error = errno;
    if (close(fd) && ok)
        return fails(f, file->name);
    errno = error;
    return ok || fails(f, file->name);
}

/* Puts file i into its place, or back: what stands in the one folder stands in the other afterwards. Where the file system cannot
 * exchange two files, the older one goes aside for a moment. */
static bool exchange(const Folder *f, const char *name)
{
    if (!renameat2(f->staging, name, f->fd, name, RENAME_EXCHANGE))
        return true;
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP)
        return false;
    return !renameat(f->fd, name, f->staging, ASIDE) && !renameat(f->staging, name, f->fd, name) &&
           !renameat(f->staging, ASIDE, f->staging, name);
}

static bool put_in_place(const Folder *f, size_t i)
{
    const char *name = f->files[i].name;
    if (f->was[i] ? exchange(f, name) : !renameat(f->staging, name, f->fd, name))
        return true;
    return fails(f, name);
}

/* The files before `end` as they were, and the older build file. */
static void take_back(const Folder *f, size_t end, bool had_build_file)
{
    for (size_t i = 0; i < end; i++) {
        if (!f->staged[i] || is_build_file(f, i))
            continue;
        if (f->was[i])
            exchange(f, f->files[i].name);
        else
            unlinkat(f->fd, f->files[i].name, 0);
    }
    if (had_build_file)
        renameat(f->staging, OLD_BUILD_FILE, f->fd, BUILD_FILE);
}

static bool replace(const Folder *f)
{
    bool changes = false, new_build_file = false;
    for (size_t i = 0; i < f->n; i++) {
        changes |= f->staged[i];
        new_build_file |= f->staged[i] && is_build_file(f, i);
    }
    if (!changes)
        return true;
    const bool had = !renameat(f->fd, BUILD_FILE, f->staging, OLD_BUILD_FILE);
    for (size_t i = 0; i < f->n; i++)
        if (f->staged[i] && !is_build_file(f, i) && !put_in_place(f, i)) {
            take_back(f, i, had);
            return false;
        }
    const char *build_file = new_build_file ? BUILD_FILE : OLD_BUILD_FILE;
    if ((new_build_file || had) && renameat(f->staging, build_file, f->fd, BUILD_FILE)) {
        fails(f, BUILD_FILE);
        take_back(f, f->n, had);
        return false;
    }
    return true;
}

static bool write_staged(Folder *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (!stage(f, i))
            return false;
    return replace(f);
}

/* --- the whole ------------------------------------------------------------------------------------------------------- */

/* The folder is somebody else's: it has a build file that dnnlc has not written. */
static bool is_foreign(const Folder *f)
{
    char head[sizeof WRITTEN_BY - 1];
    const int fd = openat(f->fd, BUILD_FILE, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno != ENOENT;
    const ssize_t n = read(fd, head, sizeof head);
    close(fd);
    return n != (ssize_t)sizeof head || memcmp(head, WRITTEN_BY, sizeof head) != 0;
}

/* The folder, made if need be, for this process alone. */
static bool open_folder(Folder *f)
{
    for (;;) {
        struct stat st;
        if (!make_folders(f))
            return false;
        f->fd = open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (f->fd < 0)
            return fails(f, "");
        while (flock(f->fd, LOCK_EX))
            if (errno != EINTR)
                return fails(f, "");
        if (!fstat(f->fd, &st) && st.st_nlink > 0)
            return true;
        close(f->fd); /* one that had made it has failed, and removed it */
    }
}

static bool write_locked(Folder *f, bool force)
{
    if (!force && is_foreign(f))
        return refuse(f->diag,
                      "%s: has a " BUILD_FILE " that dnnlc has not written; --force replaces it",
                      f->dir);
    if (!open_staging(f))
        return false;
    remove_staging(f); /* of a process that was killed */
    if (!open_staging(f))
        return false;
    const bool ok = write_staged(f);
    remove_staging(f);
    return ok;
}

bool write_folder(const char *dir, const EmitFile *files, size_t n, bool force, Diag *diag)
{
    Folder f = {.dir = dir, .arena = diag->arena, .diag = diag, .fd = -1, .files = files, .n = n};
    sigset_t before;
    f.staged = ARENA_ARRAY(f.arena, bool, n);
    f.was = ARENA_ARRAY(f.arena, bool, n);
    ending_signals(&f.ending);
    sigprocmask(SIG_BLOCK, &f.ending, &before);
    const bool ok = open_folder(&f) && write_locked(&f, force);
    if (!ok)
        remove_made(&f);
    if (f.fd >= 0)
        close(f.fd);
    sigprocmask(SIG_SETMASK, &before, NULL); /* a signal that came is delivered now */
    return ok;
}
