// A table of states on a device: the step of a plan on all pairs, in place (see plan.py), and folding (see table.py).
//
// A thread takes a chunk of neighbouring pairs, 16 bytes of values with the old cell dead and 16 with it alive, so that
// memory is read and written in the largest pieces there are.  Which ways from old to new are allowed stands in one
// word for a chunk, four bits a pair, at the place that the context's slots beyond the chunk say: a field of
// neighbouring slots is read at once.
//
// Built in: BYTES of a value (1, 2, 4), and KIND, what is added up (see rings.py).

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define MODULAR 0
#define WEIGHTED 1
#define ROUNDED 2
#define LARGEST 3

#if BYTES == 4
typedef u32 value;
#define SIDE 2
#elif BYTES == 2
typedef u16 value;
#define SIDE 3
#else
typedef u8 value;
#define SIDE 4
#endif
#define LOT (1 << SIDE)

struct alignas(16) Lot {
    value of[LOT];
};

// The parameters of a ring, in the order of its fields.
struct Ring {
    u32 first, second, third;
};

#if KIND == ROUNDED
// Floating-point numbers: of 32 bits, or their upper 16, rounded to the nearest.
__device__ __forceinline__ float number(value bits) { return __uint_as_float((u32)bits << (32 - 8 * BYTES)); }

__device__ __forceinline__ value rounded(float sum) {
    u32 bits = __float_as_uint(sum);
#if BYTES == 2
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
#endif
    return (value)bits;
}

__device__ __forceinline__ void together(value &a, value &b, u32 ways, const Ring &ring) {
    float dead = (ways & 1 ? number(a) : 0.0f) + (ways & 2 ? number(b) : 0.0f);
    float alive = (ways & 4 ? number(a) : 0.0f) + (ways & 8 ? number(b) : 0.0f);
    a = rounded(dead), b = rounded(alive);
}
#elif KIND == LARGEST
__device__ __forceinline__ u32 larger(u32 a, u32 b, u32 gain) {
    u32 most = a > b ? a : b;
    return most ? most + gain : 0;
}

__device__ __forceinline__ void together(value &a, value &b, u32 ways, const Ring &ring) {
    u32 dead = larger(ways & 1 ? a : 0, ways & 2 ? b : 0, ring.first);
    u32 alive = larger(ways & 4 ? a : 0, ways & 8 ? b : 0, ring.second);
    a = (value)dead, b = (value)alive;
}
#else
// Of x and x - p the smaller one: below p, x - p wraps around and is large.
__device__ __forceinline__ u32 reduced(u32 x, u32 prime) { return x < x - prime ? x : x - prime; }

__device__ __forceinline__ void together(value &a, value &b, u32 ways, const Ring &ring) {
    u32 dead = reduced((ways & 1 ? a : 0) + (u32)(ways & 2 ? b : 0), ring.first);
    u32 alive = reduced((ways & 4 ? a : 0) + (u32)(ways & 8 ? b : 0), ring.first);
#if KIND == WEIGHTED
    u32 turns = (u32)((u64)alive * ring.third >> 32);  // Shoup's multiplication by a constant
    alive = reduced(alive * ring.second - turns * ring.first, ring.first);
#endif
    a = (value)dead, b = (value)alive;
}
#endif

// Old and new interleaved in runs of 2^SLOT within a chunk.
template <int SLOT> __device__ __forceinline__ void interleaved(value *values, u64 ways, const Ring &ring) {
    Lot two[2];
    two[0] = ((Lot *)values)[0], two[1] = ((Lot *)values)[1];
#pragma unroll
    for (int pair = 0; pair < LOT; pair++) {
        const int low = pair >> SLOT << (SLOT + 1) | (pair & ((1 << SLOT) - 1)), high = low | 1 << SLOT;
        together(two[low / LOT].of[low % LOT], two[high / LOT].of[high % LOT], (u32)(ways >> 4 * pair), ring);
    }
    ((Lot *)values)[0] = two[0], ((Lot *)values)[1] = two[1];
}

// The bits of a number in the fields, lowest first: `fields` are pairs of a shift and a length.
__device__ __forceinline__ u64 collect(u64 number, const int *fields, int count) {
    u64 bits = 0;
    for (int k = 0, at = 0; k < count; at += fields[2 * k + 1], k++)
        bits |= (number >> fields[2 * k] & ((1ull << fields[2 * k + 1]) - 1)) << at;
    return bits;
}

// The other way round.
__device__ __forceinline__ u64 deposit(u64 bits, const int *fields, int count) {
    u64 number = 0;
    for (int k = 0, at = 0; k < count; at += fields[2 * k + 1], k++)
        number |= (bits >> at & ((1ull << fields[2 * k + 1]) - 1)) << fields[2 * k];
    return number;
}

extern "C" __global__ void step(
    value *values, u64 chunks, int slot, const u64 *ways, const int *fields, int count, u32 first, u32 second, u32 third
) {
    const Ring ring = {first, second, third};
    const u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 chunk = (u64)blockIdx.x * blockDim.x + threadIdx.x; chunk < chunks; chunk += stride) {
        const u64 allowed = ways[collect(chunk, fields, count)];
        const u64 pair = chunk << SIDE;
        if (slot < SIDE) {
            value *both = values + 2 * pair;
            if (slot == 0) interleaved<0>(both, allowed, ring);
            if (slot == 1) interleaved<1>(both, allowed, ring);
#if SIDE > 2
            if (slot == 2) interleaved<2>(both, allowed, ring);
#endif
#if SIDE > 3
            if (slot == 3) interleaved<3>(both, allowed, ring);
#endif
            continue;
        }
        const u64 run = 1ull << slot, low = pair >> slot << (slot + 1) | (pair & (run - 1));
        Lot dead = *(Lot *)(values + low), alive = *(Lot *)(values + low + run);
#pragma unroll
        for (int k = 0; k < LOT; k++) together(dead.of[k], alive.of[k], (u32)(allowed >> 4 * k), ring);
        *(Lot *)(values + low) = dead, *(Lot *)(values + low + run) = alive;
    }
}

// The largest value for each content of some slots, whatever is in the others, whose contents are the offsets.
extern "C" __global__ void fold(
    const value *values, value *out, u64 size, const int *fields, int count, const u64 *offsets, int others
) {
    const u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) {
        const u64 base = deposit(i, fields, count);
        value most = 0;
        for (int k = 0; k < others; k++) {
            const value other = values[base + offsets[k]];
            most = most > other ? most : other;
        }
        out[i] = most;
    }
}

// Back to where `fold` took them from, the other slots empty; everything else is 0 before.
extern "C" __global__ void unfold(value *values, const value *in, u64 size, const int *fields, int count) {
    const u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride)
        values[deposit(i, fields, count)] = in[i];
}
