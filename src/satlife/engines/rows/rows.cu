// The search row by row on a device: windows of 2P rows are extended by one row, all of them at once.
//
// A window is its rows, W bits each and the oldest lowest, in WORDS words.  To extend a window by the rows that the rule
// allows (see `columns.py` for the automata):
//
//   count_rows   how many rows may follow each window: paths through the column automaton, counted from the right
//   list_rows    one thread a candidate: the row with a given number, found by these counts; it is dropped if nothing
//                can become it (row 11 of the look-ahead, a set of 4 states)
//   look_ahead   rows 11, 12 and 22 of the look-ahead together, a set of 64 states in one word; what passes is a window
//   sift         windows that were met before, not later than now, are dropped
//
// Built in: W columns, period P, and EXACT, whether a window fits into the key of `sift`.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#define WORDS ((2 * P * W + 63) / 64)
#define ROW ((1u << W) - 1)
#define TOP (W * (2 * P - 1))  // where the newest row begins

// The tables of columns.py, and where they are.
#define MASKS 0
#define LEFT 128
#define STEP 192
#define BYTES (192 + 2048)
#define SPREAD 0
#define TARGET 64
#define CORNER 192
#define NUMBERS 204

// Where the rows are that matter for a new row; see `reach` of columns.py.
enum { BECOMES, ABOVE1, MIDDLE1, ABOVE2, MIDDLE2, KNOWN2, SHIFT0, SHIFT1, SHIFT2 };

#define FOR_ALL(i, count)                                                                                              \
    const u64 stride = (u64)gridDim.x * blockDim.x;                                                                    \
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < (count); i += stride)

#define SHARE_BYTES                                                                                                    \
    __shared__ u8 bytes[BYTES];                                                                                        \
    for (u32 k = threadIdx.x; k < BYTES; k += blockDim.x) bytes[k] = given_bytes[k];

#define SHARE_NUMBERS                                                                                                  \
    __shared__ u64 numbers[NUMBERS];                                                                                   \
    for (u32 k = threadIdx.x; k < NUMBERS; k += blockDim.x) numbers[k] = given_numbers[k];

__device__ __forceinline__ u32 row_of(const u64 *window, int number) {
    const int bit = number * W, word = bit >> 6, shift = bit & 63;
    u64 bits = window[word] >> shift;
    if (shift + W > 64) bits |= window[word + 1] << (64 - shift);
    return (u32)bits & ROW;
}

// The index of column x: three cells of two rows, one of what they become.  Rows come with a column to the left, what
// they become with one more if the columns move.
__device__ __forceinline__ u32 column(u32 above, u32 middle, u32 becomes, int x) {
    return (above >> x & 7) << 4 | (middle >> x & 7) << 1 | (becomes >> (x + 1) & 1);
}

__device__ __forceinline__ u32 first_columns(const u8 *bytes, u32 above, u32 middle, u32 becomes) {
    return bytes[LEFT + ((above >> 1 & 3) << 4 | (middle >> 1 & 3) << 2 | (becomes & 3))];
}

// A place for one more, counted once a warp.
__device__ __forceinline__ u64 claim(u64 *counter) {
    const u32 mask = __activemask(), lane = threadIdx.x & 31, leader = __ffs(mask) - 1;
    u64 base = 0;
    if (lane == leader) base = atomicAdd(counter, (u64)__popc(mask));
    base = __shfl_sync(mask, base, leader);
    return base + __popc(mask & ((1u << lane) - 1));
}

// The counts of paths before column x, one for each of four states, are four times 16 bits in paths[x - 1].
extern "C" __global__ void count_rows(
    const u64 *windows, u64 count, const int *reach, const u8 *given_bytes, u32 *counts, u64 *paths
) {
    SHARE_BYTES
    __syncthreads();
    FOR_ALL(i, count) {
        const u64 *window = windows + i * WORDS;
        const u32 above = row_of(window, 0) << 1, middle = row_of(window, P) << 1;
        const u32 becomes = row_of(window, reach[BECOMES]) << (1 + reach[SHIFT0]);
        u32 ways[4] = {1, 0, 0, 0};  // beyond the last column everything is dead
#pragma unroll
        for (int x = W; x >= 1; x--) {
            const u32 mask = bytes[MASKS + column(above, middle, becomes, x)];
            u32 before[4];
#pragma unroll
            for (int state = 0; state < 4; state++)
                before[state] = (mask >> state & 1 ? ways[state >> 1] : 0) +
                                (mask >> (state + 4) & 1 ? ways[(state >> 1) + 2] : 0);
#pragma unroll
            for (int state = 0; state < 4; state++) ways[state] = before[state];
            paths[i * W + x - 1] = (u64)ways[0] | (u64)ways[1] << 16 | (u64)ways[2] << 32 | (u64)ways[3] << 48;
        }
        const u32 first = first_columns(bytes, above, middle, becomes);
        u32 total = 0;
#pragma unroll
        for (int state = 0; state < 4; state++) total += first >> state & 1 ? ways[state] : 0;
        counts[i] = total;
    }
}

// The row with number `rank` among those that may follow.
__device__ __forceinline__ u32 unranked(
    const u8 *bytes, const u64 *paths, u32 above, u32 middle, u32 becomes, u32 rank
) {
    const u32 first = first_columns(bytes, above, middle, becomes);
    u64 ways = paths[0];
    u32 state = 0;
    while (true) {
        const u32 here = first >> state & 1 ? (u32)(ways >> 16 * state) & 0xFFFF : 0;
        if (rank < here || state == 3) break;
        rank -= here, state++;
    }
    u32 row = state;
#pragma unroll
    for (int x = 1; x < W - 1; x++) {
        const u32 mask = bytes[MASKS + column(above, middle, becomes, x)];
        ways = paths[x];
        const u32 dead = mask >> state & 1 ? (u32)(ways >> 16 * (state >> 1)) & 0xFFFF : 0;
        const u32 alive = rank >= dead;
        rank -= alive ? dead : 0;
        state = state >> 1 | alive << 1;
        row |= alive << (x + 1);
    }
    return row & ROW;
}

// Whether any row, under two others, makes the second of them become a given one.
__device__ __forceinline__ bool reachable(const u8 *bytes, u32 above, u32 middle, u32 becomes) {
    u32 states = first_columns(bytes, above, middle, becomes);
#pragma unroll
    for (int x = 1; x <= W; x++) states = bytes[STEP + (column(above, middle, becomes, x) << 4 | states)];
    return states & 1;
}

// Candidates number `begin` to `end` of all; `sums` are the counts added up.
extern "C" __global__ void list_rows(
    const u64 *windows, u64 count, const int *reach, const u8 *given_bytes, const i64 *sums, const u64 *paths,
    i64 begin, i64 end, u64 *found, u64 *counters
) {
    SHARE_BYTES
    __syncthreads();
    FOR_ALL(k, (u64)(end - begin)) {
        const i64 number = begin + (i64)k;
        u64 low = 0, high = count - 1;  // the first window whose sum exceeds the number
        while (low < high) {
            const u64 half = (low + high) >> 1;
            if (sums[half] > number) high = half;
            else low = half + 1;
        }
        const u64 *window = windows + low * WORDS;
        const u32 rank = (u32)(number - (low ? sums[low - 1] : 0));
        const u32 row = unranked(
            bytes, paths + low * W, row_of(window, 0) << 1, row_of(window, P) << 1,
            row_of(window, reach[BECOMES]) << (1 + reach[SHIFT0]), rank
        );
        const u32 above = row_of(window, reach[ABOVE1]) << 1, middle = row_of(window, reach[MIDDLE1]) << 1;
        if (reachable(bytes, above, middle, row << (1 + reach[SHIFT1]))) found[claim(counters)] = low << 16 | row;
    }
}

// Bit q of a state's number, in a set of states: the states where it is 0.
#define WITHOUT(q)                                                                                                     \
    ((q) == 0   ? 0x5555555555555555ull                                                                                \
     : (q) == 1 ? 0x3333333333333333ull                                                                                \
     : (q) == 2 ? 0x0F0F0F0F0F0F0F0Full                                                                                \
     : (q) == 3 ? 0x00FF00FF00FF00FFull                                                                                \
     : (q) == 4 ? 0x0000FFFF0000FFFFull                                                                                \
                : 0x00000000FFFFFFFFull)

// Forget bit q: both of its values are as good.
__device__ __forceinline__ u64 forget(u64 states, int q) { return (states | states >> (1 << q)) & WITHOUT(q); }

// Rows 11, 12 and 22: `becomes` of row 11 is the new row.  The cells of a row lie in slots in turns, and a new cell takes
// the place of the one that no other column needs.
__device__ __forceinline__ bool completes(
    const u8 *bytes, const u64 *numbers, u32 above1, u32 middle1, u32 becomes1, u32 above2, u32 middle2, u32 becomes2,
    bool known, u32 row12, int shift
) {
    const u32 first1 = first_columns(bytes, above1, middle1, becomes1);
    const u32 first2 = known ? 1u << (row12 >> 1 & 3) : first_columns(bytes, above2, middle2, becomes2);
    u64 states = numbers[CORNER + (shift + 1) * 4 + (middle2 >> 1 & 3)];
    states &= numbers[SPREAD + first1] & numbers[SPREAD + 32 + first2];
#pragma unroll
    for (int x = 1; x <= W; x++) {
        const int old = (x - 1) & 1;
        const u32 mask1 = bytes[MASKS + column(above1, middle1, becomes1, x)];
        const u32 mask2 = known ? 1u << (row12 >> x & 7) : bytes[MASKS + column(above2, middle2, becomes2, x)];
        const u64 *spread1 = numbers + SPREAD + 16 * old, *spread2 = spread1 + 32;
        const u64 *target = numbers + TARGET + ((shift ? 16 : 0) + 8 * old + (middle2 >> x & 7)) * 4;
#pragma unroll
        for (int turn = 0; turn < 2; turn++) {
            if (turn == (shift > 0)) {  // row 11; before row 22 unless that asks for the cell that goes
                const u64 dead = forget(states & spread1[mask1 & 15], 4 + old);
                const u64 alive = forget(states & spread1[mask1 >> 4], 4 + old);
                states = dead | alive << (16 << old);
            } else {
                const u64 dead = states & spread2[mask2 & 15], alive = states & spread2[mask2 >> 4];
                const u64 next00 = forget(forget(dead & target[0], 2 + old), old);
                const u64 next01 = forget(forget(dead & target[1], 2 + old), old);
                const u64 next10 = forget(forget(alive & target[2], 2 + old), old);
                const u64 next11 = forget(forget(alive & target[3], 2 + old), old);
                states = next00 | next01 << (1 << old) | (next10 | next11 << (1 << old)) << (4 << old);
            }
        }
    }
    return states & 1;
}

// counters: 0 candidates left by list_rows, 1 windows, 2 ends, that is windows of dead rows only.
extern "C" __global__ void look_ahead(
    const u64 *windows, const int *reach, const u8 *given_bytes, const u64 *given_numbers, const u64 *found,
    u64 *counters, u32 first, u64 *out, u32 *parents, u64 room, u32 *ends, u64 most_ends
) {
    SHARE_BYTES
    SHARE_NUMBERS
    __syncthreads();
    FOR_ALL(k, counters[0]) {
        const u64 number = found[k] >> 16;
        const u32 row = (u32)found[k] & 0xFFFF;
        const u64 *window = windows + number * WORDS;
        const bool known = reach[KNOWN2] >= 0;
        const u32 middle1 = row_of(window, reach[MIDDLE1]) << 1;
        const u32 row12 = !known ? 0 : reach[KNOWN2] == 2 * P ? row : row_of(window, reach[KNOWN2]);
        const u32 above2 = known ? 0 : row_of(window, reach[ABOVE2]) << 1;
        if (!completes(
                bytes, numbers, row_of(window, reach[ABOVE1]) << 1, middle1, row << (1 + reach[SHIFT1]), above2,
                row_of(window, reach[MIDDLE2]) << 1, middle1 >> 1 << (1 + reach[SHIFT2]), known, row12 << 1,
                reach[SHIFT2]
            ))
            continue;
        u64 next[WORDS], any = 0;
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            next[k] = window[k] >> W;
            if (k + 1 < WORDS) next[k] |= window[k + 1 < WORDS ? k + 1 : 0] << (64 - W);
            if (k == TOP / 64) next[k] |= (u64)row << TOP % 64;
            if (k == TOP / 64 + 1 && TOP % 64 + W > 64) next[k] |= (u64)row >> (64 - TOP % 64) % 64;
            any |= next[k];
        }
        if (any == 0) {
            const u64 end = claim(counters + 2);
            if (end < most_ends) ends[end] = first + (u32)number;
            continue;
        }
        const u64 place = claim(counters + 1);
        if (place >= room) continue;
#pragma unroll
        for (int k = 0; k < WORDS; k++) out[place * WORDS + k] = next[k];
        parents[place] = first + (u32)number;
    }
}

__device__ __forceinline__ u64 mixed(u64 x) {  // the finaliser of MurmurHash3
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCDull;
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53ull;
    return x ^ x >> 33;
}

#define PROBES 32

// Windows that are new at this place, or were only met later, go to `out`.  A key is two words with their highest bits
// set: the window itself, if it has up to 126 bits, else a fingerprint of so many.  Whoever changes the first word of an
// entry from 0 owns it; until the second is there, the entry is nobody's equal, which costs a duplicate and no more.
// The third array holds the places, inverted, so that 0 is later than all.
extern "C" __global__ void sift(
    const u64 *windows, const u32 *parents, u64 count, u32 place, u64 *first_words, u64 *second_words, u32 *places,
    u64 slots, u64 *out, u32 *out_parents, u64 *counters
) {
    const u64 top = 1ull << 63;
    FOR_ALL(i, count) {
        const u64 *window = windows + i * WORDS;
#if EXACT
        const u64 key0 = window[0] | top;
        const u64 key1 = (window[0] >> 63 | (WORDS > 1 ? window[WORDS > 1 ? 1 : 0] << 1 : 0)) | top;
#else
        u64 key0 = 0x9E3779B97F4A7C15ull, key1 = 0xC2B2AE3D27D4EB4Full;
        for (int k = 0; k < WORDS; k++) {
            key0 = mixed(key0 ^ window[k]) + 0x165667B19E3779F9ull;
            key1 = mixed(key1 + window[k] * 0x9FB21C651E98DF25ull) ^ key0 >> 7;
        }
        key0 |= top, key1 |= top;
#endif
        u64 slot = mixed(key0 ^ mixed(key1)) & (slots - 1);
        bool fresh = true;
        for (int probe = 0; probe < PROBES; probe++, slot = (slot + 1) & (slots - 1)) {
            u64 there = *(volatile u64 *)(first_words + slot);
            if (there == 0) there = atomicCAS(first_words + slot, (u64)0, key0);
            if (there == 0) {
                *(volatile u64 *)(second_words + slot) = key1;
                atomicMax(places + slot, ~place);
                claim(counters + 1);
                break;
            }
            if (there == key0 && *(volatile u64 *)(second_words + slot) == key1) {
                fresh = atomicMax(places + slot, ~place) < ~place;
                break;
            }
        }
        if (!fresh) continue;
        const u64 next = claim(counters);
        for (int k = 0; k < WORDS; k++) out[next * WORDS + k] = window[k];
        out_parents[next] = parents[i];
    }
}

// One step back along the parents: the newest rows of some windows, and then the windows before.
extern "C" __global__ void trace(
    const u64 *windows, const u32 *parents, u32 *which, u64 count, u16 *rows, u64 length, u64 column
) {
    FOR_ALL(i, count) {
        rows[i * length + column] = (u16)row_of(windows + (u64)which[i] * WORDS, 2 * P - 1);
        which[i] = parents[which[i]];
    }
}
