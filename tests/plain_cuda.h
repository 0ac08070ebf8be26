// CUDA C as plain C++: a block has one thread, a warp has one lane, and blocks run one after another.
#include <cstdint>
#include <cstring>

struct Dimension { unsigned x; };
static Dimension threadIdx = {0}, blockDim = {1}, blockIdx = {0}, gridDim = {1};

#define __global__
#define __device__ static
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(...)
#define LANES 1

static inline void __syncthreads() {}
static inline void __syncwarp() {}
static inline void __threadfence() {}
static inline unsigned __ballot_sync(unsigned, bool vote) { return vote; }
static inline unsigned __activemask() { return 1; }
static inline int __ffs(unsigned x) { return __builtin_ffs((int)x); }
static inline unsigned __brev(unsigned x) {
    unsigned out = 0;
    for (int bit = 0; bit < 32; bit++) out |= (x >> bit & 1) << (31 - bit);
    return out;
}
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
template <class T> static inline T __shfl_sync(unsigned, T value, int) { return value; }
template <class T> static inline T __shfl_up_sync(unsigned, T value, int) { return value; }
static inline float __uint_as_float(unsigned bits) { float out; std::memcpy(&out, &bits, 4); return out; }
static inline unsigned __float_as_uint(float value) { unsigned out; std::memcpy(&out, &value, 4); return out; }
template <class T> static inline T atomicAdd(T *place, T more) { T old = *place; *place += more; return old; }
template <class T> static inline T atomicOr(T *place, T bits) { T old = *place; *place |= bits; return old; }
template <class T> static inline T atomicMax(T *place, T other) { T old = *place; if (other > old) *place = other; return old; }
template <class T> static inline T atomicCAS(T *place, T was, T next) { T old = *place; if (old == was) *place = next; return old; }

extern "C" void set_block(unsigned number, unsigned count) { blockIdx.x = number, gridDim.x = count; }
