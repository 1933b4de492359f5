/* The cache of built programs: a folder with one executable a program, named by a hash of
   everything it was made from (toolchain_key), so that nothing in it is ever out of date:

       ~/.cache/tailor/run-4be1...90

   Several tailors may use it at once: programs appear by rename, and one that is removed while it
   runs goes on running. What a build that was interrupted left, run-4be1...90.tmp-k3Xw1z, goes when
   another has been built an hour later. */
#include "driver/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PROGRAMS = 512, LONGEST_BUILD = 3600 /* seconds */ };
static const char prefix[] = "run-";

/* mkdir -p. */
static bool make_folder(Compilation *c, const char *folder)
{
    char *path = arena_text(c->arena, folder, strlen(folder));
    for (char *at = path + 1; *at; at++) {
        if (*at == '/') {
            *at = '\0';
            mkdir(path, 0777);
            *at = '/';
        }
    }
    return (mkdir(path, 0777) == 0 || errno == EEXIST) && access(path, W_OK | X_OK) == 0;
}

const char *cache_folder(Compilation *c)
{
    const char *own = getenv("TAILOR_CACHE");
    const char *shared = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    const char *folder = NULL;
    if (own && *own) {
        folder = own;
    } else if (shared && *shared == '/') {
        folder = arena_printf(c->arena, "%s/tailor", shared);
    } else if (home && *home == '/') {
        folder = arena_printf(c->arena, "%s/.cache/tailor", home);
    }
    return folder && make_folder(c, folder) ? folder : NULL;
}

const char *cache_path(Compilation *c, const char *folder, const char *key)
{
    return arena_printf(c->arena, "%s/%s%s", folder, prefix, key);
}

void cache_touch(const char *path)
{
    utimensat(AT_FDCWD, path, NULL, 0);
}

typedef struct Entry {
    const char *path;
    struct timespec used;
} Entry;

static int older_first(const void *a, const void *b)
{
    const struct timespec *x = &((const Entry *)a)->used, *y = &((const Entry *)b)->used;
    if (x->tv_sec != y->tv_sec) {
        return x->tv_sec < y->tv_sec ? -1 : 1;
    }
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* A file of a build that cannot be going on any more. */
static bool is_left_over(const char *name, const struct stat *status)
{
    return strstr(name, ".tmp-") && status->st_mtim.tv_sec < time(NULL) - LONGEST_BUILD;
}

void cache_trim(Compilation *c, const char *folder)
{
    DIR *directory = opendir(folder);
    if (!directory) {
        return;
    }
    VEC(Entry) entries = {0};
    for (struct dirent *found = readdir(directory); found; found = readdir(directory)) {
        const char *path = arena_printf(c->arena, "%s/%s", folder, found->d_name);
        struct stat status;
        if (strncmp(found->d_name, prefix, sizeof prefix - 1) != 0 || stat(path, &status) != 0) {
            continue;
        }
        if (is_left_over(found->d_name, &status)) {
            unlink(path);
        } else {
            vec_push(c->arena, &entries, ((Entry){path, status.st_mtim}));
        }
    }
    closedir(directory);
    if (entries.count <= MOST_PROGRAMS) {
        return;
    }
    qsort(entries.items, entries.count, sizeof *entries.items, older_first);
    for (size_t i = 0; i < entries.count - MOST_PROGRAMS / 2; i++) {
        unlink(entries.items[i].path);
    }
}
