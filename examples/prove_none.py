"""Prove that there is none: a certificate that no oscillator of period 3 fits into 4x4 cells, made and checked."""

import tempfile
from pathlib import Path

import satlife

with tempfile.TemporaryDirectory() as scratch:
    folder = Path(scratch) / "no-period-3"
    outcome = satlife.certify(satlife.oscillator((4, 4), period=3), folder)
    assert outcome.status == "none"
    assert outcome.proof is not None

    print((folder / "statement.txt").read_text().split("\n\nEvery")[0], end="\n\n")
    for step in satlife.check_certificate(folder):  # with code that shares nothing with the search
        print("ok ", step)
