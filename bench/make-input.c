/* Writes an array of numbers that look random, for the small programs: a .npy file.

       make-input i32 FILE.npy 1000000      from -512 to 511, at times -50000 to 49999
       make-input f32 FILE.npy 301 203      from -1 to 1
       make-input f64 FILE.npy 301 203      the same numbers in twice the bytes

   The same numbers each time; two arrays of the same type differ where a seed follows: f32/2. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16 };

static uint32_t scramble(uint64_t x)
{
    x *= 0x9E3779B97F4A7C15u;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    return (uint32_t)(x >> 32);
}

static int32_t integer(uint64_t i)
{
    const uint32_t r = scramble(i);
    return r >> 12 == 0 ? (int32_t)(scramble(r) % 100000) - 50000 : (int32_t)(r >> 22) - 512;
}

static float real(uint64_t i)
{
    return (float)(scramble(i) >> 8) / 8388608.0f - 1.0f;
}

int main(int argc, char **argv)
{
    if (argc < 4 || (strncmp(argv[1], "i32", 3) != 0 && strncmp(argv[1], "f32", 3) != 0 &&
                     strncmp(argv[1], "f64", 3) != 0)) {
        fprintf(stderr, "usage: make-input i32|f32|f64[/SEED] FILE.npy EXTENT...\n");
        return 2;
    }
    const int is_real = argv[1][0] == 'f', is_wide = argv[1][1] == '6';
    const size_t bytes = is_wide ? 8 : 4;
    const uint64_t seed = argv[1][3] == '/' ? strtoull(argv[1] + 4, NULL, 10) << 40 : 0;
    char header[128] = "", shape[96] = "";
    uint64_t count = 1;
    for (int i = 3; i < argc; i++) {
        count *= strtoull(argv[i], NULL, 10);
        strncat(shape, argv[i], sizeof shape - strlen(shape) - 1);
        strncat(shape, ",", sizeof shape - strlen(shape) - 1);
    }
    /* magic, version 1.0, header length, a header of 118 bytes that ends in a newline */
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%.60s)}",
             is_wide   ? "<f8"
             : is_real ? "<f4"
                       : "<i4",
             shape);
    FILE *out = fopen(argv[2], "wb");
    if (!out || fwrite("\x93NUMPY\1\0\x76\0", 1, 10, out) != 10 ||
        fprintf(out, "%-117s\n", header) != 118) {
        perror(argv[2]);
        return 1;
    }
    static unsigned char chunk[CHUNK * 8];
    for (uint64_t first = 0; first < count; first += CHUNK) {
        const size_t size = count - first < CHUNK ? (size_t)(count - first) : CHUNK;
        for (size_t i = 0; i < size; i++) {
            const float r = real(seed + first + i);
            const int32_t n = integer(seed + first + i);
            const double wide = r;
            memcpy(chunk + i * bytes,
                   is_wide   ? (const void *)&wide
                   : is_real ? (const void *)&r
                             : (const void *)&n,
                   bytes);
        }
        if (fwrite(chunk, bytes, size, out) != size) {
            perror(argv[2]);
            return 1;
        }
    }
    if (fclose(out) != 0) {
        perror(argv[2]);
        return 1;
    }
    return 0;
}
