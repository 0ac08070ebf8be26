"""The inner loops of the lists of states, compiled by Numba."""

from __future__ import annotations

from satlife.native import kernel


@kernel(trial="advances")
def advance(keys, values, gather, table, drop, top, modulus, dead, dead_values, alive, alive_values, counts):
    """Place a cell: write the states with the new cell dead and those with it alive, each in ascending order.

    `gather` has a column (shift, mask, place) for each run of bits that the table needs; bit 0 of its entry allows a
    dead cell, bit 1 a live one.  The bit `drop` is forgotten, unless it is -1: of the states that agree in the bits
    above it, those with a 0 and those with a 1 are two ascending runs, which are merged.  The new cell is the bit
    `top`.  `counts` receives the numbers of states, and whether a sum exceeded 64 bits; with a modulus none does.
    """
    low = (1 << drop) - 1 if drop >= 0 else 0
    written, living, size = 0, 0, len(keys)
    start = 0
    while start < size:
        middle = end = start + 1
        if drop >= 0:
            above = keys[start] >> (drop + 1)
            middle = start
            while middle < size and keys[middle] >> drop == above << 1:
                middle += 1
            end = middle
            while end < size and keys[end] >> (drop + 1) == above:
                end += 1
        a, b = start, middle
        while a < middle or b < end:
            first = b == end or (a < middle and keys[a] & low <= keys[b] & low)
            both = first and b < end and drop >= 0 and keys[a] & low == keys[b] & low
            place = a if first else b
            key, value = keys[place], values[place]
            index = 0
            for k in range(gather.shape[1]):
                index |= ((key >> gather[0, k]) & gather[1, k]) << gather[2, k]
            ways = table[index]
            if first:
                a += 1
            else:
                b += 1
            other, ways_of_other = value, 0
            if both:
                twin = keys[b]
                index = 0
                for k in range(gather.shape[1]):
                    index |= ((twin >> gather[0, k]) & gather[1, k]) << gather[2, k]
                other, ways_of_other = values[b], table[index]
                b += 1
            if drop >= 0:
                key = ((key >> (drop + 1)) << drop) | (key & low)
            together = value
            if ways & ways_of_other:
                together = value + other
                if modulus[0]:
                    if together >= modulus[0]:
                        together -= modulus[0]
                elif together < value:
                    counts[2] = 1
            if (ways | ways_of_other) & 1:
                dead[written] = key
                dead_values[written] = together if ways & ways_of_other & 1 else value if ways & 1 else other
                written += 1
            if (ways | ways_of_other) & 2:
                alive[living] = key | (1 << top)
                alive_values[living] = together if ways & ways_of_other & 2 else value if ways & 2 else other
                living += 1
        start = end
    counts[0], counts[1] = written, living


@kernel(trial="leasts")
def least(keys, images, out, sizes):
    """The least image of every key under a group, and the number of its images.

    `images[g, b, c]` is the image of the content c of the b-th group of eight bits."""
    for i in range(len(keys)):
        smallest, same = keys[i], 0
        for g in range(images.shape[0]):
            image = 0
            for b in range(images.shape[1]):
                image |= images[g, b, (keys[i] >> (8 * b)) & 255]
            if image < smallest:
                smallest = image
            if image == keys[i]:
                same += 1
        out[i] = smallest
        sizes[i] = images.shape[0] // same
