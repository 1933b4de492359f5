/* Philox4x32-10, a counter-based generator of random numbers: the number with index `draw` of the
   sequence `seed` is a pure function of the two, so that any work-item computes its own and every
   backend gives the same.

       tl_random_i64(seed, draw)   bits 1..63 of the first two words of
                                   Philox(key seed, counter draw)

   J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw: Parallel random numbers: as easy as 1, 2, 3
   (SC 2011), section 3.3. Written, as scalar.h is, in the common subset of C11 and OpenCL C 1.2; in
   OpenCL programs its text follows scalar.h's. */
#ifndef RUNTIME_RANDOM_H
#define RUNTIME_RANDOM_H

#ifndef __OPENCL_VERSION__
#include "scalar.h"
#endif

typedef struct tl_philox {
    tl_u32 word[4];
} tl_philox;

/* Ten rounds; each multiplies two words of the counter by constants, mixes the high halves with the
   key and the other words, and swaps; the key advances by Weyl constants (golden ratio, sqrt 3 -
   1). */
TL_INLINE tl_philox tl_philox4x32_10(tl_philox counter, tl_u32 key0, tl_u32 key1)
{
    int round;
    for (round = 0; round < 10; round++) {
        tl_u64 first = (tl_u64)0xD2511F53u * counter.word[0];
        tl_u64 second = (tl_u64)0xCD9E8D57u * counter.word[2];
        tl_philox next;
        next.word[0] = (tl_u32)(second >> 32) ^ counter.word[1] ^ key0;
        next.word[1] = (tl_u32)second;
        next.word[2] = (tl_u32)(first >> 32) ^ counter.word[3] ^ key1;
        next.word[3] = (tl_u32)first;
        counter = next;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return counter;
}

TL_INLINE tl_i64 tl_random_i64(tl_i64 seed, tl_i64 draw)
{
    tl_philox counter;
    counter.word[0] = (tl_u32)(tl_u64)draw;
    counter.word[1] = (tl_u32)((tl_u64)draw >> 32);
    counter.word[2] = 0;
    counter.word[3] = 0;
    counter = tl_philox4x32_10(counter, (tl_u32)(tl_u64)seed, (tl_u32)((tl_u64)seed >> 32));
    return (tl_i64)((((tl_u64)counter.word[1] << 32) | counter.word[0]) >> 1);
}

#endif
