/* Reading sources and writing results. Nothing is ever left half-written: a result goes to a
   temporary file beside its destination and is renamed when it is complete:

       tailor build life.apl -o life   writes life.tmp-k3Xw1z, then renames it to life */
#include "driver/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void complain(const char *file, const char *problem)
{
    fprintf(stderr, "tailor: %s: %s\n", file, problem);
}

/* All that can be read from fd, up to `limit` bytes; NULL with errno set. */
static char *read_all(Arena *arena, int fd, size_t limit, size_t *length)
{
    size_t capacity = 1 << 16, used = 0;
    char *bytes = malloc(capacity + 1);
    while (bytes) {
        ssize_t got = read(fd, bytes + used, capacity - used);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            int problem = got < 0 ? errno : 0;
            char *result = problem ? NULL : arena_text(arena, bytes, used);
            *length = used;
            free(bytes);
            errno = problem;
            return result;
        }
        used += (size_t)got;
        if (used > limit) {
            free(bytes);
            errno = EFBIG;
            return NULL;
        }
        if (used == capacity) {
            capacity *= 2;
            char *larger = realloc(bytes, capacity + 1);
            if (!larger) {
                free(bytes);
            }
            bytes = larger;
        }
    }
    errno = ENOMEM;
    return NULL;
}

char *files_read(Arena *arena, const char *file, size_t limit, size_t *length)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return NULL;
    }
    char *text = read_all(arena, fd, limit, length);
    int problem = errno;
    close(fd);
    errno = problem;
    return text;
}

SourceFile *files_read_source(Compilation *c, const char *file)
{
    size_t length = 0;
    bool is_stdin = strcmp(file, "-") == 0;
    char *text = is_stdin ? read_all(c->arena, STDIN_FILENO, SOURCE_LIMIT, &length)
                          : files_read(c->arena, file, SOURCE_LIMIT, &length);
    if (!text) {
        complain(is_stdin ? "standard input" : file,
                 errno == EFBIG ? "LIMIT ERROR: larger than 256 MiB" : strerror(errno));
        return NULL;
    }
    return source_create(c->arena, file, text, length);
}

/* Devices, pipes and the like are written to directly. */
static bool is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

const char *files_begin(Compilation *c, const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        complain(path, strerror(EISDIR));
        return NULL;
    }
    if (is_special(path)) {
        return path;
    }
    char *temporary = arena_printf(c->arena, "%s.tmp-XXXXXX", path);
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        complain(path, strerror(errno));
        return NULL;
    }
    close(fd);
    return temporary;
}

void files_abandon(const char *temporary, const char *path)
{
    if (temporary != path) {
        unlink(temporary);
    }
}

bool files_finish(const char *temporary, const char *path, bool executable)
{
    if (temporary == path) {
        return true;
    }
    mode_t mask = umask(0);
    umask(mask);
    if (chmod(temporary, (executable ? 0777 : 0666) & ~mask) != 0 || rename(temporary, path) != 0) {
        complain(path, strerror(errno));
        files_abandon(temporary, path);
        return false;
    }
    return true;
}

static bool write_text(FILE *out, const char *text, size_t length)
{
    bool ok = fwrite(text, 1, length, out) == length;
    return fflush(out) == 0 && ok;
}

bool files_write(Compilation *c, const char *path, const char *text, size_t length)
{
    if (!path) {
        if (!write_text(stdout, text, length)) {
            complain("standard output", strerror(errno));
            return false;
        }
        return true;
    }
    const char *temporary = files_begin(c, path);
    if (!temporary) {
        return false;
    }
    FILE *out = fopen(temporary, "we");
    bool ok = out && write_text(out, text, length);
    ok = (!out || fclose(out) == 0) && ok;
    if (!ok) {
        complain(path, strerror(errno));
        files_abandon(temporary, path);
        return false;
    }
    return files_finish(temporary, path, false);
}

bool files_same(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

bool files_is_folder(const char *path)
{
    struct stat status;
    size_t length = strlen(path);
    bool is_written = length > 0 && path[length - 1] == '/';
    return is_written || (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

bool files_make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && files_is_folder(path))) {
        return true;
    }
    complain(path, strerror(errno));
    return false;
}
