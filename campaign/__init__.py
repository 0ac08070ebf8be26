"""The campaign: randomised tests that try to break what satlife promises, for as long as one likes.

    python -m campaign [PART ...] [--seconds N] [--tries N] [--seed N]

Every part is a module of this package.  docs/reliability.md describes them.
"""
