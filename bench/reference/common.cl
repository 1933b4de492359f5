/* What the hand-written kernels share. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

/* reduce_NAME(value, ...): combines a value of every work-item of the launch; the result is in
   result[0] when the kernel is done. Each group leaves its value in partials and counts itself; the
   group that counts last finds all partials there and combines them. COMBINE(a, b) is commutative.
   The counter is 0 again afterwards. Group sizes are powers of 2. */
#define REDUCTION(NAME, TYPE, NEUTRAL, COMBINE)                                                    \
    TYPE group_##NAME(TYPE value, local TYPE *shared)                                              \
    {                                                                                              \
        const uint item = get_local_id(0);                                                         \
        shared[item] = value;                                                                      \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {              \
            if (item < half_size)                                                                  \
                shared[item] = COMBINE(shared[item], shared[item + half_size]);                    \
            barrier(CLK_LOCAL_MEM_FENCE);                                                          \
        }                                                                                          \
        return shared[0];                                                                          \
    }                                                                                              \
    void reduce_##NAME(TYPE value, volatile global TYPE *partials, volatile global uint *finished, \
                       global TYPE *result, local TYPE *shared, local uint *is_last)               \
    {                                                                                              \
        const uint item = get_local_id(0), groups = get_num_groups(0);                             \
        TYPE total = group_##NAME(value, shared);                                                  \
        if (item == 0) {                                                                           \
            partials[get_group_id(0)] = total;                                                     \
            mem_fence(CLK_GLOBAL_MEM_FENCE);                                                       \
            *is_last = atomic_inc(finished) == groups - 1;                                         \
        }                                                                                          \
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                       \
        if (!*is_last)                                                                             \
            return;                                                                                \
        total = NEUTRAL;                                                                           \
        for (uint i = item; i < groups; i += get_local_size(0))                                    \
            total = COMBINE(total, partials[i]);                                                   \
        total = group_##NAME(total, shared);                                                       \
        if (item == 0) {                                                                           \
            result[0] = total;                                                                     \
            *finished = 0;                                                                         \
        }                                                                                          \
    }
