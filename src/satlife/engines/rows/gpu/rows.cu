// The search row by row on a device: windows of 2P rows are extended by one row, many at once.
//
// A window is its rows, W bits each and the oldest lowest, in WORDS words.  One launch of `extend` is one step of the
// search: windows at the end of the last level of the stack are extended by the rows that the rule allows (see
// `columns.py` for the automata), what comes of them is the next level, and levels that are done are removed.  The device
// decides that alone, so steps are launched one after another without asking what came of them.
//
// A warp takes some windows, one a lane, and
//
//   counts       how many rows may follow each: paths through the column automaton, counted from the right
//   lists them   one lane a candidate: the row with a given number, found by these counts; it is dropped if nothing can
//                become it (row 11 of the look-ahead, a set of 4 states)
//   looks ahead  at what is left, again in full warps: rows 11, 12 and 22 together, a set of 64 states in one word
//   compares     what passes with windows that were met before
//
// Built in: W columns, period P, threads BLOCK, EXACT, whether a window fits into a key, TWINS, whether mirror images are
// alike, and UNIFORM, whether all places are; then where the rows are that matter is built in, too.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#ifndef LANES
#define LANES 32
#endif
#define ALL_LANES 0xFFFFFFFFu
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

// The state of a search: see `buffers.py`.  What many threads count lies apart.
enum {
    HALT, DEPTH, LIMIT, KEEP, BASE, ROOM, SLACK, BATCH, TURNS, SLOTS, ORDERED, SPARSE, CANDIDATES, VISITED, REMEMBERED,
    ENDS, END_PLACE, LEFT_FIRST, LEFT_COUNT, EXTENDED, REST, TAKEN = 32, GROWN = 48, ADDED = 64, ENDED = 80, DONE = 96
};
enum { AT_END = 1, AT_LIMIT = 2, EMPTY = 4, TOO_DEEP = 8, FULL = 16, NO_ROOM = 32, AT_REST = 64 };  // why it halts
enum { PLACE, FIRST, COUNT, GONE, BACK, LEVEL };  // of a level; BACK: how many levels are left when it is done

// Where the rows are that matter for a new row; see `reach` of columns.py.
struct Reach {
    int becomes, above1, middle1, above2, middle2, known2, shift0, shift1, shift2;
};

__device__ __forceinline__ Reach reach_at(const int *lines, u64 place) {
#if UNIFORM
    return Reach{BECOMES, ABOVE1, MIDDLE1, ABOVE2, MIDDLE2, KNOWN2, 0, 0, 0};
#else
    const int *at = lines + 9 * (place % P);
    return Reach{at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7], at[8]};
#endif
}

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

// The sum of a number in this lane and those before.
__device__ __forceinline__ u32 running_sum(u32 number, u32 lane) {
#pragma unroll
    for (u32 apart = 1; apart < LANES; apart <<= 1) {
        const u32 before = __shfl_up_sync(ALL_LANES, number, apart);
        if (lane >= apart) number += before;
    }
    return number;
}

// How many rows may follow.  For each column, as four times 16 bits, in how many ways each of four states goes on if the
// next cell is dead: that goes to paths[(x - 1) * LANES].
__device__ __forceinline__ u32 count_rows(const u8 *bytes, u64 *paths, u32 above, u32 middle, u32 becomes) {
    u32 ways[4] = {1, 0, 0, 0};  // beyond the last column everything is dead
#pragma unroll
    for (int x = W; x >= 1; x--) {
        const u32 mask = bytes[MASKS + column(above, middle, becomes, x)];
        u32 dead[4], alive[4];
#pragma unroll
        for (int state = 0; state < 4; state++) {
            dead[state] = mask >> state & 1 ? ways[state >> 1] : 0;
            alive[state] = mask >> (state + 4) & 1 ? ways[(state >> 1) + 2] : 0;
        }
        paths[(x - 1) * LANES] = (u64)(dead[0] | dead[1] << 16) | (u64)(dead[2] | dead[3] << 16) << 32;
#pragma unroll
        for (int state = 0; state < 4; state++) ways[state] = dead[state] + alive[state];
    }
    paths[W * LANES] = (u64)(ways[0] | ways[1] << 16) | (u64)(ways[2] | ways[3] << 16) << 32;
    const u32 first = first_columns(bytes, above, middle, becomes);
    u32 total = 0;
#pragma unroll
    for (int state = 0; state < 4; state++) total += first >> state & 1 ? ways[state] : 0;
    return total;
}

// The row with number `rank` among those that may follow; `first` are the states in which it may begin.
__device__ __forceinline__ u32 unranked(const u64 *paths, u32 first, u32 rank) {
    const u64 ways = paths[W * LANES];
    u32 state = 0;
#pragma unroll
    for (int k = 0; k < 3; k++) {
        const u32 here = first >> k & 1 ? (u32)(ways >> 16 * k) & 0xFFFF : 0;
        const u32 beyond = state == k && rank >= here;
        rank -= beyond ? here : 0;
        state += beyond;
    }
    u32 row = state;
#pragma unroll
    for (int x = 1; x < W - 1; x++) {
        const u32 dead = ((const u16 *)(paths + (x - 1) * LANES))[state];
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

// Bit q of a state's number, in a set of states: the states where it is 0.
#define WITHOUT(q)                                                                                                     \
    ((q) == 0   ? 0x5555555555555555ull                                                                                \
     : (q) == 1 ? 0x3333333333333333ull                                                                                \
     : (q) == 2 ? 0x0F0F0F0F0F0F0F0Full                                                                                \
     : (q) == 3 ? 0x00FF00FF00FF00FFull                                                                                \
     : (q) == 4 ? 0x0000FFFF0000FFFFull                                                                                \
                : 0x00000000FFFFFFFFull)

// Bit q is forgotten, since both of its values are as good, and becomes 0 in the first set of states and 1 in the second.
__device__ __forceinline__ u64 replaced(u64 dead, u64 alive, int q) {
    return ((dead | dead >> (1 << q)) & WITHOUT(q)) | ((alive | alive << (1 << q)) & ~WITHOUT(q));
}

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
                states = replaced(states & spread1[mask1 & 15], states & spread1[mask1 >> 4], 4 + old);
            } else {
                const u64 dead = states & spread2[mask2 & 15], alive = states & spread2[mask2 >> 4];
                const u64 dead12 = replaced(dead & target[0], dead & target[1], old);
                const u64 alive12 = replaced(alive & target[2], alive & target[3], old);
                states = replaced(dead12, alive12, 2 + old);
            }
        }
    }
    return states & 1;
}

// Whether rows 11, 12 and 22 exist for a window and a row below it.
__device__ __forceinline__ bool looks_well(
    const u8 *bytes, const u64 *numbers, const u64 *window, const Reach &reach, u32 row
) {
    const bool known = reach.known2 >= 0;
    const u32 middle1 = row_of(window, reach.middle1) << 1;
    const u32 row12 = !known ? 0 : reach.known2 == 2 * P ? row : row_of(window, reach.known2 < 0 ? 0 : reach.known2);
    const u32 above2 = known ? 0 : row_of(window, reach.above2) << 1;
    return completes(
        bytes, numbers, row_of(window, reach.above1) << 1, middle1, row << (1 + reach.shift1), above2,
        row_of(window, reach.middle2) << 1, middle1 >> 1 << (1 + reach.shift2), known, row12 << 1, reach.shift2
    );
}

// The window without its oldest row and with a new one; returns whether a cell is alive.
__device__ __forceinline__ bool moved_on(const u64 *window, u32 row, u64 *next) {
    u64 any = 0;
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        next[k] = window[k] >> W;
        if (k + 1 < WORDS) next[k] |= window[k + 1 < WORDS ? k + 1 : 0] << (64 - W);
        if (k == TOP / 64) next[k] |= (u64)row << TOP % 64;
        if (k == TOP / 64 + 1 && TOP % 64 + W > 64) next[k] |= (u64)row >> (64 - TOP % 64) % 64;
        any |= next[k];
    }
    return any != 0;
}

__device__ __forceinline__ u64 mixed(u64 x) {  // the finaliser of MurmurHash3
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCDull;
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53ull;
    return x ^ x >> 33;
}

// A window or its mirror image, always the same of the two.
__device__ __forceinline__ void one_of_twins(const u64 *window, u64 *image) {
#pragma unroll
    for (int k = 0; k < WORDS; k++) image[k] = 0;
#pragma unroll
    for (int number = 0; number < 2 * P; number++) {
        const int bit = number * W, word = bit >> 6, shift = bit & 63;
        const u64 row = __brev(row_of(window, number)) >> (32 - W);
        image[word] |= row << shift;
        if (shift + W > 64) image[word + 1] |= row >> (64 - shift);
    }
    bool before = false;
#pragma unroll
    for (int k = 0; k < WORDS; k++) before = image[k] < window[k] || (image[k] == window[k] && before);
#pragma unroll
    for (int k = 0; k < WORDS; k++) image[k] = before ? image[k] : window[k];
}

#define PROBES 32
#define PATIENCE 64

// Whether a window is new at this place, or was only met later.  A key is two words with their highest bits set: the
// window itself, if it has up to 126 bits, else a fingerprint of so many.  Whoever changes the first word of an entry
// from 0 owns it, and writes the second soon; who does not wait for that keeps a duplicate, which does no harm.
// `places`, if the order matters, holds the places, inverted, so that 0 is later than all.
//
// Where all places are alike a window is as good as the same one in another generation.  Then not every window is looked
// up but one of so many, chosen by its contents, so that two partial ships that go on alike meet at the same windows
// (distinguished points, van Oorschot and Wiener 1994); and now and then all of them, so that none goes on for ever.
struct Met {
    u64 *entries, slots, sparse;
    u32 *places;
    bool ordered;
};

__device__ __forceinline__ u64 hash_of(u64 key0, u64 key1) { return mixed(key0 ^ mixed(key1)); }

__device__ __forceinline__ bool is_distinguished(u64 key0, u64 key1, u64 sparse) {
    return (hash_of(key0, key1) >> 48 & (sparse - 1)) == 0;
}

// Enter a key, if it is new; a key that finds no slot counts as new.
__device__ __forceinline__ bool enter(const Met &met, u64 key0, u64 key1, u32 place, u32 &added) {
    u64 slot = hash_of(key0, key1) & (met.slots - 1);
    for (int probe = 0; probe < PROBES; probe++, slot = (slot + 1) & (met.slots - 1)) {
        volatile u64 *entry = met.entries + 2 * slot;
        u64 there = entry[0];
        if (there == 0) there = atomicCAS(met.entries + 2 * slot, (u64)0, key0);
        if (there == 0) {
            entry[1] = key1;
            if (met.ordered) atomicMax(met.places + slot, ~place);
            added++;
            return true;
        }
        if (there != key0) continue;
        u64 second = entry[1];
        for (int turn = 0; second == 0 && turn < PATIENCE; turn++) second = entry[1];
        if (second == key1) return met.ordered && atomicMax(met.places + slot, ~place) < ~place;
    }
    return true;
}

__device__ __forceinline__ bool is_new(const Met &met, const u64 *given, u32 place, u32 &added) {
    const u64 top = 1ull << 63;
    if (!UNIFORM && place % P) return true;
    const bool all = place % (8 * P) == 0;
#if TWINS
    u64 window[WORDS];
    one_of_twins(given, window);
#else
    const u64 *window = given;
#endif
#if EXACT
    const u64 key0 = window[0] | top;
    const u64 key1 = (window[0] >> 63 | (WORDS > 1 ? window[WORDS > 1 ? 1 : 0] << 1 : 0)) | top;
#else
    u64 key0 = 0x9E3779B97F4A7C15ull, key1 = 0xC2B2AE3D27D4EB4Full;
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        key0 = mixed(key0 ^ window[k]) + 0x165667B19E3779F9ull;
        key1 = mixed(key1 + window[k] * 0x9FB21C651E98DF25ull) ^ key0 >> 7;
    }
    key0 |= top, key1 |= top;
#endif
    if (!all && !is_distinguished(key0, key1, met.sparse)) return true;
    return enter(met, key0, key1, place, added);
}

// Move keys to another table: all of them, or those that are distinguished.
extern "C" __global__ void move_met(
    const u64 *entries, const u32 *places, u64 slots, u64 *to_entries, u32 *to_places, u64 to_slots, u32 ordered,
    u64 sparse, u64 *added
) {
    const Met to = {to_entries, to_slots, 1, to_places, ordered != 0};
    const u64 stride = (u64)gridDim.x * blockDim.x;
    u32 mine = 0;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < slots; i += stride)
        if (entries[2 * i] && is_distinguished(entries[2 * i], entries[2 * i + 1], sparse))
            enter(to, entries[2 * i], entries[2 * i + 1], ordered ? ~places[i] : 0, mine);
    atomicAdd(added, (u64)mine);
}

__device__ __forceinline__ u64 smaller(u64 a, u64 b) { return a < b ? a : b; }

// How many windows a warp takes at once.
__device__ __forceinline__ u32 share_of_warp(u64 windows, u64 warps) {
    const u64 share = windows / (4 * warps);
    return (u32)(share < 1 ? 1 : smaller(share, LANES));
}

// So many windows may come of a step, that there is room for all levels to come; and so many are extended at most.
__device__ __forceinline__ u64 share_of(const u64 *state, u64 room, u64 place) {
    const u64 spare = room > state[SLACK] ? room - state[SLACK] : 0;
    return spare / (state[LIMIT] > place ? smaller(state[LIMIT] - place, state[TURNS]) : 1);
}

__device__ __forceinline__ u64 most_of(const u64 *state, const u64 *level, u64 share) {
    return smaller(level[COUNT], smaller(state[BATCH], share + 1));
}

// After a step, by one thread: what came of it is a level, and levels that are done go.  All that is read is read first,
// since each of these waits for the memory.
__device__ void advance(u64 *state, u64 *levels, u64 most_levels, u64 *tally, u64 first_shares, u64 most, u64 room) {
    u64 *level = levels + LEVEL * (state[DEPTH] - 1);
    const u64 taken = state[TAKEN], grown = state[GROWN], added = state[ADDED], ended = state[ENDED];
    const u64 base = state[BASE], visited = state[VISITED], remembered = state[REMEMBERED] + added;
    const u64 limit = state[LIMIT], keep = state[KEEP], slots = state[SLOTS], rest = state[REST], first = level[FIRST];
    const u64 count = level[COUNT], place = level[PLACE] + 1, back = level[BACK];
    const u64 extended = smaller(first_shares + taken, most), end = first + count;
    u64 depth = state[DEPTH], halt = ended ? AT_END : 0;
    if (grown > room) {  // as if nothing had happened
        halt = NO_ROOM;
    } else {
        const bool over = place >= limit;
        tally[place - base] += grown;
        state[VISITED] = visited + grown, state[REMEMBERED] = remembered;
        state[ENDS] = ended, state[END_PLACE] = place - 1;
        state[LEFT_FIRST] = end, state[LEFT_COUNT] = over ? grown : 0;
        if (over && grown && keep) halt |= AT_LIMIT;
        if (!over && grown) {
            level[GONE] = extended;
            u64 *next = level + LEVEL;
            next[PLACE] = place, next[FIRST] = end, next[COUNT] = grown, next[GONE] = 0;
            next[BACK] = extended < count ? depth : back;  // where there is something left
            depth++;
        } else if (extended < count) {
            level[COUNT] = count - extended;
        } else {
            depth = back;
            level = levels + LEVEL * (depth - 1);
            if (depth) level[COUNT] -= level[GONE], level[GONE] = 0;
        }
        state[DEPTH] = depth;
        if (depth == 0) halt |= EMPTY;
        if (depth + 1 >= most_levels) halt |= TOO_DEEP;
        if (remembered > slots / 8 * 5) halt |= FULL;
        if (visited + grown > rest) halt |= AT_REST;
    }
    state[EXTENDED] = extended;
    state[TAKEN] = state[GROWN] = state[ADDED] = state[ENDED] = state[DONE] = 0;
    state[HALT] = halt;
}

// One step, unless the host is to be asked first.
extern "C" __global__ void __launch_bounds__(BLOCK) extend(
    u64 *state, u64 *levels, u64 most_levels, u64 *tally, u64 *windows, u32 *parents, const int *reaches,
    const u64 *given_bytes, const u64 *given_numbers, u64 *entries, u32 *places, u32 *ends, u64 most_ends
) {
    if (state[HALT]) return;
    __shared__ u64 bytes_in_words[BYTES / 8], numbers[NUMBERS];
    __shared__ u64 all_paths[(W + 1) * BLOCK], candidates[2 * BLOCK], survivors[2 * BLOCK];
    __shared__ u32 all_sums[BLOCK];
    const u32 lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    const u64 *level = levels + LEVEL * (state[DEPTH] - 1);
    const u64 end = level[FIRST] + level[COUNT], place = level[PLACE];
    const u64 room = state[ROOM] - end, enough = share_of(state, room, place), most = most_of(state, level, enough);

    // Every warp has a share from the start; what is left is taken in ever smaller ones (guided self-scheduling).
    const u64 crowd = (u64)gridDim.x * warps;
    u32 chunk = share_of_warp(most, crowd);
    const u64 first_shares = crowd * chunk;
    if ((u64)blockIdx.x * warps * chunk < most) {
        for (u32 k = threadIdx.x; k < BYTES / 8; k += blockDim.x) bytes_in_words[k] = given_bytes[k];
        for (u32 k = threadIdx.x; k < NUMBERS; k += blockDim.x) numbers[k] = given_numbers[k];
        __syncthreads();
        const u8 *bytes = (const u8 *)bytes_in_words;
        u64 *paths = all_paths + warp * LANES * (W + 1), *target = windows + end * WORDS;
        u64 *queue = candidates + warp * 2 * LANES, *passed = survivors + warp * 2 * LANES;
        u32 *sums = all_sums + warp * LANES;
        const Reach reach = reach_at(reaches, place);
        const Met met = {entries, state[SLOTS], state[SPARSE], places, state[ORDERED] != 0};
        const u32 lower = (1u << lane) - 1;  // the lanes before this one

        u64 taken = ((u64)blockIdx.x * warps + warp) * chunk, tried = 0, grown = 0, next = most;
        u32 queued = 0, kept = 0, added = 0, next_chunk = 0;
        bool more = true;
        while (more) {
            more = taken < most;
            const u64 last = end - 1 - taken;
            u32 sum = 0;
            if (lane == 0 && more) {  // for the next turn, when the memory will have answered
                next_chunk = share_of_warp(most - taken, crowd);
                next = grown <= enough ? first_shares + atomicAdd(state + TAKEN, (u64)next_chunk) : most;
                grown = *(volatile u64 *)(state + GROWN);
            }
            if (lane < chunk && taken + lane < most) {
                const u64 *window = windows + (last - lane) * WORDS;
                sum = count_rows(
                    bytes, paths + lane, row_of(window, 0) << 1, row_of(window, P) << 1,
                    row_of(window, reach.becomes) << (1 + reach.shift0)
                );
            }
            sum = running_sum(sum, lane);
            sums[lane] = sum;
            __syncwarp();
            const u32 total = __shfl_sync(ALL_LANES, sum, LANES - 1);
            tried += total;
            u32 base = 0;
            while (base < total || (!more && queued + kept)) {
                if (base < total) {  // list rows
                    const u32 rank = base + lane;
                    u64 entry = 0;
                    bool passes = false;
                    if (rank < total) {
                        u32 owner = 0;  // the first whose sum exceeds the rank
#pragma unroll
                        for (u32 half = LANES / 2; half; half >>= 1)
                            if (sums[owner + half - 1] <= rank) owner += half;
                        const u64 *window = windows + (last - owner) * WORDS;
                        const u32 first = first_columns(
                            bytes, row_of(window, 0) << 1, row_of(window, P) << 1,
                            row_of(window, reach.becomes) << (1 + reach.shift0)
                        );
                        const u32 row = unranked(paths + owner, first, rank - (owner ? sums[owner - 1] : 0));
                        passes = reachable(
                            bytes, row_of(window, reach.above1) << 1, row_of(window, reach.middle1) << 1,
                            row << (1 + reach.shift1)
                        );
                        entry = (last - owner) << 16 | row;
                    }
                    const u32 mask = __ballot_sync(ALL_LANES, passes);
                    if (passes) queue[queued + __popc(mask & lower)] = entry;
                    queued += __popc(mask);
                    base += LANES;
                    __syncwarp();
                }
                if (queued >= LANES || (!more && queued)) {  // look ahead
                    const u32 count = queued < LANES ? queued : LANES;
                    queued -= count;
                    const u64 entry = lane < count ? queue[queued + lane] : 0;
                    const u64 *window = windows + (entry >> 16) * WORDS;
                    const bool passes = lane < count && looks_well(bytes, numbers, window, reach, (u32)entry & 0xFFFF);
                    const u32 mask = __ballot_sync(ALL_LANES, passes);
                    if (passes) passed[kept + __popc(mask & lower)] = entry;
                    kept += __popc(mask);
                    __syncwarp();
                }
                if (kept >= LANES || (!more && !queued && kept)) {  // keep what is new
                    const u32 count = kept < LANES ? kept : LANES;
                    kept -= count;
                    u64 moved[WORDS], number = 0;
                    u32 parent = 0;
                    bool fresh = false;
                    if (lane < count) {
                        const u64 entry = passed[kept + lane];
                        parent = (u32)(entry >> 16);
                        if (moved_on(windows + (entry >> 16) * WORDS, (u32)entry & 0xFFFF, moved)) {
                            fresh = is_new(met, moved, (u32)place + 1, added);
                        } else {
                            const u64 at = atomicAdd(state + ENDED, (u64)1);
                            if (at < most_ends) ends[at] = parent;
                        }
                    }
                    const u32 mask = __ballot_sync(ALL_LANES, fresh);
                    if (lane == 0 && mask) number = atomicAdd(state + GROWN, (u64)__popc(mask));
                    number = __shfl_sync(ALL_LANES, number, 0) + __popc(mask & lower);
                    if (fresh && number < room) {
#pragma unroll
                        for (int k = 0; k < WORDS; k++) target[number * WORDS + k] = moved[k];
                        parents[end + number] = parent;
                    }
                    __syncwarp();
                }
            }
            taken = __shfl_sync(ALL_LANES, next, 0);
            chunk = __shfl_sync(ALL_LANES, next_chunk, 0);
        }
        added = running_sum(added, lane);
        if (lane == LANES - 1 && added) atomicAdd(state + ADDED, (u64)added);
        if (lane == 0 && tried) atomicAdd(state + CANDIDATES, tried);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(state + DONE, (u64)1) == gridDim.x - 1) {
        __threadfence();
        advance(state, levels, most_levels, tally, first_shares, most, room);
    }
}

// One step back along the parents: the newest rows of some windows, and then the windows before.
extern "C" __global__ void trace(
    const u64 *windows, const u32 *parents, u32 *which, u64 count, u16 *rows, u64 length, u64 column
) {
    const u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        rows[i * length + column] = (u16)row_of(windows + (u64)which[i] * WORDS, 2 * P - 1);
        which[i] = parents[which[i]];
    }
}

// Windows of partial ships that were saved, from those of their parents and their newest rows; counts the rows that the
// rule does not allow.
extern "C" __global__ void regrow(
    u64 *windows, const u32 *parents, const u16 *rows, u64 first, u64 count, u64 place, const int *reaches,
    const u64 *given_bytes, u64 *wrong
) {
    const u8 *bytes = (const u8 *)given_bytes;
    const u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        const Reach reach = reach_at(reaches, place);
        const u64 *window = windows + (u64)parents[first + i] * WORDS;
        const u32 above = row_of(window, 0) << 1, middle = row_of(window, P) << 1, row = (u32)rows[i] << 1;
        const u32 becomes = row_of(window, reach.becomes) << (1 + reach.shift0);
        u32 fits = first_columns(bytes, above, middle, becomes) >> (row >> 1 & 3) & 1;
#pragma unroll
        for (int x = 1; x <= W; x++) fits &= bytes[MASKS + column(above, middle, becomes, x)] >> (row >> x & 7);
        if (!fits) atomicAdd(wrong, (u64)1);
        moved_on(window, rows[i], windows + (first + i) * WORDS);
    }
}

// Garbage collection.  `kept` has a bit for each window of the stack: windows of a level that wait, the first ones, and
// those that something on the level above came from.  Levels are marked from the last one down.
extern "C" __global__ void mark(const u32 *parents, u32 *kept, u64 first, u64 count, u64 waiting, u32 bottom) {
    const u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 i = first + (u64)blockIdx.x * blockDim.x + threadIdx.x; i < first + count; i += stride) {
        if (i < first + waiting)
            atomicOr(kept + i / 32, 1u << i % 32);
        else if (!(kept[i / 32] >> i % 32 & 1))
            continue;
        if (!bottom) atomicOr(kept + parents[i] / 32, 1u << parents[i] % 32);
    }
}

extern "C" __global__ void count_kept(const u32 *kept, u64 words, u32 *counts) {
    const u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += stride) counts[i] = __popc(kept[i]);
}

// The number of a window among those that are kept; `ranks` has it for every 32nd.
__device__ __forceinline__ u32 rank_of(const u32 *kept, const u32 *ranks, u64 i) {
    return ranks[i / 32] + __popc(kept[i / 32] & ((1u << i % 32) - 1));
}

// Copy the windows that are kept, with the new numbers of their parents.  Those of the first level, the first `bottom`
// ones, keep what they have: their numbers among the partial ships that the search began with.
extern "C" __global__ void copy_kept(
    const u64 *windows, const u32 *parents, const u32 *kept, const u32 *ranks, u64 count, u64 bottom, u64 *to_windows,
    u32 *to_parents
) {
    const u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        if (!(kept[i / 32] >> i % 32 & 1)) continue;
        const u64 to = rank_of(kept, ranks, i);
        for (int k = 0; k < WORDS; k++) to_windows[to * WORDS + k] = windows[i * WORDS + k];
        to_parents[to] = i < bottom ? parents[i] : rank_of(kept, ranks, parents[i]);
    }
}
