/* Runs a fuzz target over files, without libFuzzer: what it once found, and the tests' programs.

       $ replay-tail tests/run/loops.tail tests/fuzz/found/tail/shift
       ok fuzz/tail/loops.tail
       ok fuzz/tail/shift

   A file that is a finding ends the process; the last line on standard error is its name. */
#include "tests/fuzz/fuzz.h"
#include "driver/files.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct Replay {
    int count;
    char **files;
    int exit_code;
} Replay;

/* "replay-tail" -> "tail" */
static const char *target_name(const char *program)
{
    const char *dash = strrchr(program, '-');
    return dash ? dash + 1 : program;
}

static void *run_files(void *context)
{
    Replay *replay = context;
    const char *target = target_name(replay->files[0]);
    for (int i = 1; i < replay->count; i++) {
        const char *file = replay->files[i], *slash = strrchr(file, '/');
        Arena *arena = arena_create();
        size_t size = 0;
        char *bytes = files_read(arena, file, SOURCE_LIMIT, &size);
        fprintf(stderr, "%s\n", file);
        if (bytes) {
            fuzz_input((const uint8_t *)bytes, size);
            printf("ok fuzz/%s/%s\n", target, slash ? slash + 1 : file);
        } else {
            perror(file);
            replay->exit_code = 1;
        }
        arena_destroy(arena);
    }
    return NULL;
}

/* On a stack as large as the compiler's own. */
int main(int argc, char **argv)
{
    enum { STACK_SIZE = 256 << 20 };
    Replay replay = {argc, argv, 0};
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstacksize(&attributes, STACK_SIZE) != 0 ||
        pthread_create(&thread, &attributes, run_files, &replay) != 0) {
        fuzz_fail("no thread with a large stack");
    }
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    return replay.exit_code;
}
