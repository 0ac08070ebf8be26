"""The instances with a certificate, and the formula that it refutes: `scripts/certify family` makes and compares them.

Of two certificates of a claim the proofs differ, since solvers are interrupted when the clock says so, but both refute
the same formula.  It is the plain one, which says the question and nothing else, not that of the instance; the sha256
of its file is in certificate.json, and `satlife verify DIR --write-cnf OUT` writes it.
"""

REFUTED = {
    "life-3-37": "6197d34e9a7a22586686bfa490c4e5c6a6fc812a5bdddc54edbfd4957d10eb0d",
    "life-3-38": "b8f97d43a7e5c98f86d86d7a64ca80f98286872fe680594c33e58689ecde51a2",
    "life-4": "999b8bbd23efdc4df8b7df6f3d02c678c3c67221a1648f963e477f7a76c24aa5",
    "oscillator-2x3-p2": "6428be1c98e6232966d726c33f9e3d411df6bf500331d047a5401fd1b2e7ced4",
    "oscillator-6x6-p3": "e883a4373cd710ade336408fbdf0fc354239bad0190125be4dccfb6a8b6f46f8",
    "oscillator-7x6-p3": "41105f15e384832eccf40f35b2415edd4c6c5577332fdc7745edf33b2bc9ba0f",
    "oscillator-6x5-p4": "6b83db2025d63c0cbba561d495da715bc39edd7e03a285b0e27c258a9c5d5340",
    "oscillator-7x7-p5-D8": "5a7dab3ac4720dd55491f3ea73785070566c7398722b73683e10449f82d23e62",
    "oscillator-8x6-p5-D2v": "944223241b352b52074ff6e3e4df27e157e13b4b802ab82760800bb39b3a5f83",
    "ship-c4d-3x3": "c563320352e90e240d7a1f983b2b5fee8e734bec05b6e7d6e10cb215c035c455",
    "ship-c2-5x5": "e40f0ebe1d968854fafe5afc2ad8163c253b75d5a9ea78f593c9f3f2832ab75b",
    "ship-c2-6x4": "41260cf1227ab52fd581e4e39ec17789077d926de9a80f1c0d2e71ec23b7e03d",
    "ship-c3-20x4": "66adaadc8f1d3d6360ac780fb60844fbbe992f088bc3347be2494464ada2b19e",
    "ship-c3-15x5": "234d760d5e24b226f135120196dcff416549ae34b4596fedb8e37ec660cce476",
    "oscillator-5x9-p3": "a34dc35d28e9c27523f77487ec6defa4cdc57afda3975670c7d71c219b0fc127",
    "densest-5-17": "09efc5870e4fce5a67cd013b4af8fda1b0faa5683d342da46cb441804ead103a",
    "densest-6-19": "d1b2639868359f6ebac908e2201195b3b49603acf5cf6a2e3743d31122788f93",
    "densest-7-29": "9be1a478a02fa2d93fae4d6ef55d0a7a66c3168e449b9287a1f580202b9e3283",
    "densest-8-37": "c0250323702f57b68cdb0d00a1f2f58dfea3ad371519a63d545517df5a9a1ae3",
    "densest-9-44": "7aa2f8597162d4ab49419ef1dd6d702ea720305a079891332d7067712c3bed86",
    "densest-10-55": "0bc7ece95b3948849107faf5e5080864e30a7af490237439a8544a636e31827a",
    "orphan-10x10": "b80835be94506e77d58d407ed0456aa4ddf7f760cdc86944fba4515dd1abbcd8",
    "orphan-11x9": "560a307a31de31a46bc50fe0833462f859c5562db06950e737f063bd80dd4108",
}
