/* Kernels' text to a program for a device, once: what was compiled is kept on disk.

       $TAILOR_CACHE/kernels/8f14e45fceea167a5a36dedd4bea2543    or below $XDG_CACHE_HOME/tailor,
                                                                 ~/.cache/tailor

   A file's name is a hash of everything that the result depends on: the text, the options, the
   device's name, the driver's and the platform's version. A file is written under another name and
   then renamed, so that nobody reads half of it; one that is damaged, or that the driver does not
   take, is as good as none. Of a platform that does the same itself nothing is kept. */
#include "runtime/opencl.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings" /* the texts of scalar.h and random.h */
#include "random.inc"
#include "scalar.inc"
#pragma GCC diagnostic pop
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECES = 15, PATH_SIZE = 4096 };

static const char int64_atomics[] = "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n";

/* What an element that is exchanged may be at first: a plain reading is quicker than an atomic one, and a race elsewhere. */
static const char seen_text[] = "#ifdef __NV_CL_C_VERSION\n"
                                "#define tl_seen(exchange, word) (*(word))\n"
                                "#else\n"
                                "#define tl_seen(exchange, word) exchange(word, 0, 0)\n"
                                "#endif\n";

/* What indices are made of; divisions are of what is not negative, those with _floor of anything; those with _by
   multiply by what the host brings (tl_cl_inverse), which is 0 for a divisor that is none. */
static const char index_text[] =
    "#ifdef TL_IS_SMALL_LAUNCH\n"
    "typedef int tl_index;\n"
    "typedef uint tl_uindex;\n"
    "#define tl_add_index tl_add_i32\n"
    "#define tl_sub_index tl_sub_i32\n"
    "#define tl_mul_index tl_mul_i32\n"
    "#define tl_neg_index tl_neg_i32\n"
    "#define tl_shl_index tl_shl_i32\n"
    "#define tl_shr_index tl_shr_i32\n"
    "#define tl_max_index tl_max_i32\n"
    "#define tl_min_index tl_min_i32\n"
    "#define tl_div_index_floor tl_div_i32\n"
    "#define tl_mod_index_floor tl_mod_i32\n"
    "#define tl_div_index(x, y) tl_quotient((uint)(x), (uint)(y))\n"
    "#define tl_mod_index(x, y) tl_rest((uint)(x), (uint)(y))\n"
    "static inline int tl_quotient(uint x, uint y) { return y == 0 ? 0 : (int)(x / y); }\n"
    "static inline int tl_rest(uint x, uint y) { return y == 0 ? (int)x : (int)(x % y); }\n"
    "#define tl_div_by(x, y, by) ((int)((ulong)(uint)(x) * (uint)(by) >> ((by) >> 32)))\n"
    "#define tl_mod_by(x, y, by) ((x) - tl_div_by(x, y, by) * (y))\n"
    "static inline int tl_div_by_floor(int x, int y, ulong by)\n"
    "{\n"
    "    return x >= 0 && by != 0 ? tl_div_by(x, y, by) : tl_div_i32(x, y);\n"
    "}\n"
    "static inline int tl_mod_by_floor(int x, int y, ulong by)\n"
    "{\n"
    "    return x >= 0 && by != 0 ? tl_mod_by(x, y, by) : tl_mod_i32(x, y);\n"
    "}\n"
    "#else\n"
    "typedef long tl_index;\n"
    "typedef ulong tl_uindex;\n"
    "#define tl_add_index tl_add_i64\n"
    "#define tl_sub_index tl_sub_i64\n"
    "#define tl_mul_index tl_mul_i64\n"
    "#define tl_neg_index tl_neg_i64\n"
    "#define tl_shl_index tl_shl_i64\n"
    "#define tl_shr_index tl_shr_i64\n"
    "#define tl_max_index tl_max_i64\n"
    "#define tl_min_index tl_min_i64\n"
    "#define tl_div_index_floor tl_div_i64\n"
    "#define tl_mod_index_floor tl_mod_i64\n"
    "#define tl_div_index tl_div_i64\n"
    "#define tl_mod_index tl_mod_i64\n"
    "#define tl_div_by(x, y, by) tl_div_i64(x, y)\n"
    "#define tl_mod_by(x, y, by) tl_mod_i64(x, y)\n"
    "#define tl_div_by_floor(x, y, by) tl_div_i64(x, y)\n"
    "#define tl_mod_by_floor(x, y, by) tl_mod_i64(x, y)\n"
    "#endif\n"
    /* PoCL 3.1 mixes up pointers to local memory that change places in loops in loops; and parts of kernels that one
       condition guards on both sides of a barrier become one for LLVM, from which PoCL then cannot go on. */
    "#ifdef TL_IS_CPU\n"
    "#define TL_EXCHANGED volatile\n"
    "#define TL_ALIVE const volatile bool\n"
    "#else\n"
    "#define TL_EXCHANGED\n"
    "#define TL_ALIVE const bool\n"
    "#endif\n"
    "#ifdef TL_ON_PROCESSOR\n"
    "#define TL_ITEMS(i, count) const tl_index i = get_global_id(0); if (i < (count))\n"
    "#else\n"
    "#define TL_ITEMS(i, count) \\\n"
    "    for (tl_index i = get_global_id(0); i < (count); i += get_global_size(0))\n"
    "#endif\n";

/* Kernels for processors (backend/lower/processor.c) are written in the words of sequential C. The
   quotients are runtime/vector.h's. */
static const char processor_text[] =
    "#ifdef TL_ON_PROCESSOR\n"
    "#define int64_t long\n"
    "#define int32_t int\n"
    "#define uint32_t uint\n"
    "#define int16_t short\n"
    "#define uint8_t uchar\n"
    "#if defined(TL_NO_F64)\n"
    "static inline long tl_quotient(long x, long y) { return x / y - (x % y < 0); }\n"
    "static inline long tl_near_quotient(long x, long y) { return x / y; }\n"
    "#elif defined(__AVX2__) && !defined(__AVX512DQ__)\n"
    "static inline double tl_real(long x)\n"
    "{\n"
    "    const ulong high = ((ulong)x >> 32) ^ 0x4530000080000000UL;\n"
    "    const ulong low = ((ulong)x & 0xffffffffUL) | 0x4330000000000000UL;\n"
    "    return as_double(high) - (0x1p84 + 0x1p63 + 0x1p52) + as_double(low);\n"
    "}\n"
    "static inline double tl_near_real(long x)\n"
    "{\n"
    "    return as_double(x + 0x4338000000000000L) - 0x1.8p52;\n"
    "}\n"
    "static inline long tl_near_integer(double x)\n"
    "{\n"
    "    return as_long(x + 0x1.8p52) - 0x4338000000000000L;\n"
    "}\n"
    "static inline double tl_near_floor(double x, double y)\n"
    "{\n"
    "    return TL_FLOOR_f64((x + 0.5) * (1.0 / y));\n"
    "}\n"
    "static inline long tl_quotient(long x, long y)\n"
    "{\n"
    "    return tl_near_integer(tl_near_floor(tl_near_real(x), tl_near_real(y)));\n"
    "}\n"
    "static inline long tl_remainder(long x, long y)\n"
    "{\n"
    "    const double dividend = tl_near_real(x), divisor = tl_near_real(y);\n"
    "    return tl_near_integer(dividend - divisor * tl_near_floor(dividend, divisor));\n"
    "}\n"
    "#define tl_near_quotient tl_quotient\n"
    "#define tl_near_remainder tl_remainder\n"
    "static inline long tl_near_i64_of_f64(double x, long *far)\n"
    "{\n"
    "    *far |= !(fabs(x) <= 0x1p51);\n"
    "    return tl_near_integer(TL_TRUNC_f64(x));\n"
    "}\n"
    "#define tl_near_i64_of_f32(x, far) tl_near_i64_of_f64((double)(x), far)\n"
    "#else\n"
    "static inline long tl_quotient(long x, long y)\n"
    "{\n"
    "    const double quotient = ((double)x + 0.5) * (1.0 / (double)y);\n"
    "    const long near = (long)quotient;\n"
    "    return near - ((double)near > quotient);\n"
    "}\n"
    "static inline long tl_near_quotient(long x, long y)\n"
    "{\n"
    "    return (long)(((double)x + 0.5) * (1.0 / (double)y));\n"
    "}\n"
    "#endif\n"
    "#if defined(TL_NO_F64) || !defined(__AVX2__) || defined(__AVX512DQ__)\n"
    "#define tl_real(x) ((double)(x))\n"
    "#define tl_near_i64_of_f64(x, far) tl_i64_of_f64(x)\n"
    "#define tl_near_i64_of_f32(x, far) tl_i64_of_f32(x)\n"
    "static inline long tl_remainder(long x, long y) { return x - y * tl_quotient(x, y); }\n"
    "static inline long tl_near_remainder(long x, long y)\n"
    "{\n"
    "    return x - y * tl_near_quotient(x, y);\n"
    "}\n"
    "#endif\n"
    /* A share of the kernel's work that no other group has: if there is one, of the part that this thread has of every
       kernel, so that what it stored is in its cache. Threads are told apart by where their stacks are, 8 MB or more from
       each other; who takes the last share sets the counters back (make_shares). */
    "static inline tl_index tl_take_share(volatile global int *shares)\n"
    "{\n"
    "    enum { LINE = 16 };\n"
    "    const long threads = shares[0], count = get_num_groups(0);\n"
    "    int here;\n"
    "    const int thread = (int)((size_t)&here >> 20) | 1;\n"
    "    long part = (uint)thread % threads;\n"
    "    for (long k = 0; k < threads; k++) {\n"
    "        const int owner = atomic_cmpxchg(&shares[LINE * (1 + part)], 0, thread);\n"
    "        if (owner == 0 || owner == thread) break;\n"
    "        part = part + 1 < threads ? part + 1 : 0;\n"
    "    }\n"
    "    long share = count;\n"
    "    while (share == count) {\n"
    "        const long first = count * part / threads, end = count * (part + 1) / threads;\n"
    "        const int taken = atomic_inc(&shares[LINE * (1 + part) + 1]);\n"
    "        share = first + taken < end ? first + taken : count;\n"
    "        part = part + 1 < threads ? part + 1 : 0;\n"
    "    }\n"
    "    if (atomic_inc(&shares[1]) == (int)count - 1) {\n"
    "        for (long k = 0; k < threads; k++) {\n"
    "            atomic_xchg(&shares[LINE * (1 + k) + 1], 0);\n"
    "        }\n"
    "        atomic_xchg(&shares[1], 0);\n"
    "    }\n"
    "    return share;\n"
    "}\n"
    "#endif\n";

/* What a work-item has stored before, all groups see after. OpenCL 1.2 orders one work-item's
   stores only; that is enough where nothing is cached incoherently, which NVIDIA's L1 is. */
static const char fence_text[] =
    "#ifdef __NV_CL_C_VERSION\n"
    "#define tl_device_fence() asm volatile(\"membar.gl;\" ::: \"memory\")\n"
    "#else\n"
    "#define tl_device_fence() mem_fence(CLK_GLOBAL_MEM_FENCE)\n"
    "#endif\n";

/* Status words of groups, for those that look back: in the upper half the launch, and in its lowest
   bit a bool; in the lower half 32 bits of what is published. No fence is needed, since each word
   says itself of when it is. NVIDIA's devices read and write 64 bits at once. */
static const char status_text[] =
    "#if defined(__NV_CL_C_VERSION)\n"
    "#define tl_status_put(word, value) (*(word) = (value))\n"
    "#define tl_status_get(word) (*(word))\n"
    "#elif defined(cl_khr_int64_base_atomics)\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "#define tl_status_put(word, value) ((void)atom_xchg(word, value))\n"
    "#define tl_status_get(word) atom_add(word, (ulong)0)\n"
    "#else\n"
    "#define tl_status_put(word, value) (*(word) = (value))\n"
    "#define tl_status_get(word) (*(word))\n"
    "#endif\n"
    "static inline void tl_publish(volatile global ulong *word, const uint launch,\n"
    "                              const bool whole, const uint payload)\n"
    "{\n"
    "    tl_status_put(word, (ulong)(launch | (whole ? 1u : 0u)) << 32 | payload);\n"
    "}\n"
    "#define tl_is_published(seen, launch) (((uint)((seen) >> 32) & ~1u) == (launch))\n";

/* x / y of a constant y by its reciprocal (the compiler's backend/emit/divide.c says when and why);
   a divider is as quick where there is one. Rounded the same either way. */
static const char divide_text[] =
    "#ifdef TL_IS_CPU\n"
    "#define tl_divide_by(x, y, reciprocal) ((x) / (y))\n"
    "#define tl_divide_by_two(x, y, reciprocal, low) ((x) / (y))\n"
    "#define tl_divide_by_known(x, y, reciprocal, low) ((x) / (y))\n"
    "#else\n"
    "static inline bool tl_may_multiply(const double x)\n"
    "{\n"
    "    return (as_uint2(x).y & 0x7fffffffu) - 0x10000000u < 0x60000000u;\n"
    "}\n"
    "static inline double tl_divide_by(const double x, const double y, const double reciprocal)\n"
    "{\n"
    "    const double quotient = x * reciprocal;\n"
    "    return tl_may_multiply(x) ? fma(fma(-quotient, y, x), reciprocal, quotient) : x / y;\n"
    "}\n"
    "static inline double tl_divide_by_two(const double x, const double y, const double "
    "reciprocal,\n"
    "                                      const double low)\n"
    "{\n"
    "    const double quotient = fma(x, reciprocal, x * low);\n"
    "    return tl_may_multiply(x) ? fma(fma(-quotient, y, x), reciprocal, quotient) : x / y;\n"
    "}\n"
    "static inline double tl_divide_by_known(const double x, const double y, const double "
    "reciprocal,\n"
    "                                        const double low)\n"
    "{\n"
    "    return reciprocal != 0 ? tl_divide_by_two(x, y, reciprocal, low) : x / y;\n"
    "}\n"
    "#endif\n";

/* 2*x + y by one operation, and whether that is rounded the same (backend/emit/twice.c). */
static const char twice_text[] = "#ifdef TL_IS_CPU\n"
                                 "#define tl_is_moderate(y) false\n"
                                 "#else\n"
                                 "#define tl_is_moderate(y) (fabs(y) < 0x1p+969)\n"
                                 "#endif\n"
                                 "#define tl_twice_plus(x, y) fma(2.0, x, y)\n";

/* x*y + z, rounded once where that is quick (backend/lower/tile_work.c), and loops of tiles, which
   compilers for processors take their time to write out. */
static const char tiles_text[] = "#if defined(TL_IS_CPU) && !defined(FP_FAST_FMA)\n"
                                 "#define tl_plus_product(x, y, z) ((z) + (x) * (y))\n"
                                 "#else\n"
                                 "#define tl_plus_product(x, y, z) fma(x, y, z)\n"
                                 "#endif\n"
                                 "#ifdef TL_IS_CPU\n"
                                 "#define TL_WRITE_OUT\n"
                                 "#else\n"
                                 "#define TL_WRITE_OUT _Pragma(\"unroll\")\n"
                                 "#endif\n";

/* total[r * 2 * columns + c] += sum over d < depth of x[row, d] * y[column, d], for 2 * rows by 2 * columns of the
   work-item: KernelProduct in the compiler's backend/kernel.h says which. 32 neighbours have 16 by 8 of the totals in
   four doubles each, and 16 by 4 and 4 by 8 elements in two and one (PTX ISA, mma.m16n8k4 with .f64; 8.0 has those for
   8 rows). Products and sums are rounded as fma does it. */
static const char product_text[] =
    "#if TL_MULTIPLIES >= 80\n"
    "#if TL_MULTIPLIES >= 90\n"
    "#define tl_multiply(t, u, a, b, c) \\\n"
    "    asm volatile(\"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 \" \\\n"
    "                 \"{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};\" \\\n"
    "                 : \"+d\"((t)[0]), \"+d\"((t)[1]), \"+d\"((u)[0]), \"+d\"((u)[1]) \\\n"
    "                 : \"d\"(a), \"d\"(b), \"d\"(c))\n"
    "#else\n"
    "#define tl_multiply_half(t, a, c) \\\n"
    "    asm volatile(\"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, "
    "%1};\" \\\n"
    "                 : \"+d\"((t)[0]), \"+d\"((t)[1]) : \"d\"(a), \"d\"(c))\n"
    "#define tl_multiply(t, u, a, b, c) do { tl_multiply_half(t, a, c); tl_multiply_half(u, b, c); "
    "} while (0)\n"
    "#endif\n"
    "#define TL_EACH(i, count) _Pragma(\"unroll\") for (int i = 0; i < (count); i++)\n"
    "#define TL_ADD_PRODUCT(rows, columns, depth, total, x, row, x_place, x_deep, y, column, "
    "y_place, y_deep) \\\n"
    "    { \\\n"
    "        const int tl_quad = (get_local_id(0) & 31) >> 2, tl_deep = get_local_id(0) & 3; \\\n"
    "        const local double *const tl_x = (x) + (row) * (x_place) + tl_deep * (x_deep); \\\n"
    "        const local double *const tl_y = \\\n"
    "            (y) + ((column) - 2 * tl_deep + tl_quad) * (y_place) + tl_deep * (y_deep); \\\n"
    "        TL_EACH(tl_d, (depth) / 4) { \\\n"
    "            double tl_a[2 * (rows)], tl_b[columns]; \\\n"
    "            TL_EACH(tl_r, 2 * (rows)) tl_a[tl_r] = tl_x[8 * tl_r * (x_place) + 4 * tl_d * "
    "(x_deep)]; \\\n"
    "            TL_EACH(tl_c, columns) tl_b[tl_c] = tl_y[8 * tl_c * (y_place) + 4 * tl_d * "
    "(y_deep)]; \\\n"
    "            TL_EACH(tl_r, rows) TL_EACH(tl_c, columns) \\\n"
    "                tl_multiply((total) + 4 * tl_r * (columns) + 2 * tl_c, \\\n"
    "                            (total) + 4 * tl_r * (columns) + 2 * (columns) + 2 * tl_c, \\\n"
    "                            tl_a[2 * tl_r], tl_a[2 * tl_r + 1], tl_b[tl_c]); \\\n"
    "        } \\\n"
    "    }\n"
    "#endif\n";

/* Where a kernel's check fails. failure[0] is the launch that it failed in, `own` of that kernel, 0 while there is none;
   failure[1] a lock; failure[2] the row that failed, or TL_MANY where its number is larger, as in a later stage, and that
   number stands behind the values; failure[3] the number of the failure. The earliest row of the kernel wins, and its
   first failure: what is reported does not depend on timing. The lock is taken and given back inside one branch, so
   work-items that run in lock-step cannot wait for each other. */
static const char failures_text[] =
    "#define TL_MANY 0x7ffffffe\n"
    "#define tl_goes_on(failed, own) ((failed) == 0 || (failed) == (own))\n"
    "static void tl_failed(volatile global int *failure, global long *values, const int own,\n"
    "                      const ulong row, const int number, const long4 first,\n"
    "                      const long4 others)\n"
    "{\n"
    "    const int part = (int)min(row, (ulong)TL_MANY);\n"
    "    volatile global long *const known_row = values + 8;\n"
    "    bool done = false;\n"
    "    while (!done) {\n"
    "        const int least = atomic_or(&failure[2], 0);\n"
    "        mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
    "        if (part > least || (part == least && (part < TL_MANY || row >= (ulong)*known_row))) "
    "{\n"
    "            done = true;\n"
    "        } else if (atomic_cmpxchg(&failure[1], 0, 1) == 0) {\n"
    "            mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
    "            const int known = atomic_or(&failure[2], 0);\n"
    "            if (part < known || (part == known && row < (ulong)*known_row)) {\n"
    "                *known_row = (long)row;\n"
    "                mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
    "                atomic_xchg(&failure[2], part);\n"
    "                atomic_xchg(&failure[3], number);\n"
    "                atomic_xchg(&failure[0], own);\n"
    "                vstore4(first, 0, values);\n"
    "                vstore4(others, 1, values);\n"
    "                mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
    "            }\n"
    "            atomic_xchg(&failure[1], 0);\n"
    "            done = true;\n"
    "        }\n"
    "    }\n"
    "}\n";

/* m is 2^(31 + l) / x, rounded up, for the least l with 2^l >= x: too large by at most 2^l / x in
   2^(31 + l) / x, so that i * m >> (31 + l) is too large by less than 1 / x where i < 2^31. */
int64_t tl_cl_inverse(int64_t x)
{
    if (x <= 0 || x > INT32_MAX)
        return 0;
    int log = x == 1 ? 0 : 64 - __builtin_clzll((unsigned long long)x - 1);
    uint64_t multiplier = ((uint64_t)1 << (31 + log)) / (uint64_t)x + 1;
    return (int64_t)((uint64_t)(31 + log) << 32 | multiplier);
}

double tl_cl_reciprocal(double x)
{
    double size = fabs(x);
    return size > 0x1p-200 && size < 0x1p+200 ? 1 / x : 0;
}

double tl_cl_reciprocal_low(double x)
{
    double high = tl_cl_reciprocal(x);
    return high == 0 ? 0 : fma(-high, x, 1) / x; /* the product's rest is exact */
}

/* ---- hashes --------------------------------------------------------------------------------- */

/* FNV-1a, 64 bits. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The text and its final NUL, so that "ab","c" is not "a","bc". */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_bytes(hash, text, strlen(text) + 1);
}

static uint64_t hash_key(uint64_t hash, const tl_device *device, const char *const *pieces,
                         const char *options)
{
    for (int i = 0; i < PIECES; i++)
        hash = hash_text(hash, pieces[i]);
    hash = hash_text(hash, options);
    hash = hash_text(hash, device->name);
    hash = hash_text(hash, device->driver);
    hash = hash_text(hash, device->platform_name);
    return hash_text(hash, device->platform_version);
}

/* ---- the cache on disk ---------------------------------------------------------------------- */

/* A file's first bytes. */
typedef struct CacheHeader {
    char magic[16];
    uint64_t length, checksum; /* of what follows */
} CacheHeader;

static const char cache_magic[16] = "tailor kernels 1";

/* The folder, without '/' at its end; false where there is no place for it. */
static bool cache_folder(char *path)
{
    const char *own = getenv("TAILOR_CACHE"), *shared = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    int length = -1;
    if (own && *own) {
        length = snprintf(path, PATH_SIZE, "%s/kernels", own);
    } else if (shared && *shared) {
        length = snprintf(path, PATH_SIZE, "%s/tailor/kernels", shared);
    } else if (home && *home) {
        length = snprintf(path, PATH_SIZE, "%s/.cache/tailor/kernels", home);
    }
    return length > 0 && length < PATH_SIZE - 64;
}

/* mkdir -p. */
static bool make_folder(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* The binary in a file, malloc'ed; NULL where there is none that is whole. */
static unsigned char *read_cache(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    CacheHeader header;
    struct stat status;
    unsigned char *binary = NULL;
    if (fread(&header, sizeof header, 1, file) == 1 &&
        memcmp(header.magic, cache_magic, sizeof header.magic) == 0 &&
        fstat(fileno(file), &status) == 0 && header.length > 0 &&
        (uint64_t)status.st_size == sizeof header + header.length) {
        *length = (size_t)header.length;
        binary = malloc(*length);
        if (binary && (fread(binary, 1, *length, file) != *length ||
                       hash_bytes(0, binary, *length) != header.checksum)) {
            free(binary);
            binary = NULL;
        }
    }
    fclose(file);
    return binary;
}

static void write_cache(const char *path, const unsigned char *binary, size_t length)
{
    char other[PATH_SIZE + 32];
    snprintf(other, sizeof other, "%s.%ld", path, (long)getpid());
    FILE *file = fopen(other, "wb");
    if (!file)
        return;
    CacheHeader header = {.length = length, .checksum = hash_bytes(0, binary, length)};
    memcpy(header.magic, cache_magic, sizeof header.magic);
    bool written =
        fwrite(&header, sizeof header, 1, file) == 1 && fwrite(binary, 1, length, file) == length;
    written = fclose(file) == 0 && written;
    if (!written || rename(other, path) != 0)
        remove(other);
}

/* ---- building ------------------------------------------------------------------------------- */

static cl_program build_from_cache(cl_context context, const tl_device *device, const char *options,
                                   const char *path)
{
    size_t length;
    unsigned char *binary = read_cache(path, &length);
    if (!binary)
        return NULL;
    const unsigned char *binaries[] = {binary};
    cl_int error, status = CL_SUCCESS;
    cl_program built =
        clCreateProgramWithBinary(context, 1, &device->device, &length, binaries, &status, &error);
    free(binary);
    if (error != CL_SUCCESS)
        return NULL;
    if (status == CL_SUCCESS &&
        clBuildProgram(built, 1, &device->device, options, NULL, NULL) == CL_SUCCESS) {
        return built;
    }
    clReleaseProgram(built);
    return NULL;
}

static _Noreturn void report_build(cl_program built, const tl_device *device, cl_int error)
{
    size_t size = 0;
    clGetProgramBuildInfo(built, device->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = calloc(size + 1, 1);
    if (log)
        clGetProgramBuildInfo(built, device->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    fflush(stdout);
    fprintf(stderr, "%s\n", log ? log : "");
    tl_fatal("DEVICE ERROR", "clBuildProgram: %s on %s; its log is above", tl_cl_error_name(error),
             device->name);
}

/* PoCL compiles a kernel when it is first launched, and keeps it on disk itself. Asked for the program's binary it
   would compile all kernels once more, for groups of any size: three times the work. */
static bool keeps_kernels(const tl_device *device)
{
    return strstr(device->platform_name, "Portable Computing Language") != NULL &&
           getenv("TAILOR_KEEP_KERNELS") == NULL;
}

static void keep(cl_program built, const char *path)
{
    size_t length = 0;
    if (clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof length, &length, NULL) !=
            CL_SUCCESS ||
        length == 0) {
        return;
    }
    unsigned char *binary = malloc(length);
    unsigned char *binaries[] = {binary};
    if (binary && clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL) ==
                      CL_SUCCESS) {
        write_cache(path, binary, length);
    }
    free(binary);
}

/* Options of OpenCL's compiler; TAILOR_OPENCL_OPTIONS has more of them. */
static void options_for(char *options, size_t size, const tl_device *device,
                        const tl_program *program, bool small)
{
    bool rounds = program->needs_f32 && device->divides_f32_correctly;
    const char *more = getenv("TAILOR_OPENCL_OPTIONS");
    /* Oclgrind 21.10 does not know all that its own compiler's optimiser makes (llvm.abs, numbers of two bits). */
    bool as_written = strstr(device->platform_name, "Oclgrind") && !(more && *more);
    char multiplies[32] = "";
    if (tl_device_matrix_units(device) > 0)
        snprintf(multiplies, sizeof multiplies, " -DTL_MULTIPLIES=%u",
                 tl_device_matrix_units(device));
    snprintf(options, size, "-cl-std=CL1.2 -w%s%s%s%s%s%s%s%s%s%s %.200s",
             device->has_f64 ? "" : " -DTL_NO_F64", small ? " -DTL_IS_SMALL_LAUNCH" : "",
             device->type & CL_DEVICE_TYPE_CPU ? " -DTL_IS_CPU" : "",
             strstr(device->platform_name, "Portable Computing Language") ? " -DTL_IS_POCL" : "",
             device->is_processor && !small ? " -DTL_ON_PROCESSOR" : "",
             tl_device_looks_back(device) ? " -DTL_LOOKS_BACK" : "",
             tl_device_resident_groups(device) > 0 ? " -DTL_MEETS" : "", multiplies,
             rounds ? " -cl-fp32-correctly-rounded-divide-sqrt" : "",
             as_written ? " -cl-opt-disable" : "", more ? more : "");
}

cl_program tl_build_program(cl_context context, const tl_device *device, const tl_program *program,
                            bool small)
{
    char options[512], path[PATH_SIZE];
    bool is_random = strstr(program->source, "tl_random_i64") != NULL;
    const char *pieces[PIECES] = {
        program->needs_i64_atomics ? int64_atomics : "",
        runtime_scalar_text,
        index_text,
        is_random ? runtime_random_text : "",
        strstr(program->source, "tl_device_fence") ? fence_text : "",
        strstr(program->source, "tl_publish") ? status_text : "",
        strstr(program->source, "tl_seen(") ? seen_text : "",
        strstr(program->source, "tl_divide_by") ? divide_text : "",
        strstr(program->source, "tl_twice_plus") ? twice_text : "",
        strstr(program->source, "TL_WRITE_OUT") ? tiles_text : "",
        strstr(program->source, "TL_ADD_PRODUCT") ? product_text : "",
        program->checks ? failures_text : "",
        strstr(program->source, "TL_ON_PROCESSOR") ? processor_text : "",
        strstr(program->source, "_near(") || strstr(program->source, "tl_power(") ? tl_near_text
                                                                                  : "",
        program->source};
    options_for(options, sizeof options, device, program, small);
    bool cached = !keeps_kernels(device) && cache_folder(path) && make_folder(path);
    if (cached) {
        unsigned long long first = hash_key(UINT64_C(0xcbf29ce484222325), device, pieces, options);
        unsigned long long second = hash_key(UINT64_C(0x9e3779b97f4a7c15), device, pieces, options);
        size_t length = strlen(path);
        snprintf(path + length, sizeof path - length, "/%016llx%016llx", first, second);
        cl_program built = build_from_cache(context, device, options, path);
        if (built)
            return built;
    }
    cl_int error;
    cl_program built =
        clCreateProgramWithSource(context, PIECES, (const char **)pieces, NULL, &error);
    tl_cl_require(error, "clCreateProgramWithSource");
    error = clBuildProgram(built, 1, &device->device, options, NULL, NULL);
    if (error != CL_SUCCESS)
        report_build(built, device, error);
    if (cached)
        keep(built, path);
    return built;
}
