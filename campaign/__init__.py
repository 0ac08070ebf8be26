"""The adversarial campaign: what satlife promises, tried to break, for as long as one likes.

    python -m campaign [PART ...] [--seconds N] [--tries N] [--seed N]

Every part is a module of this package.  docs/reliability.md says what each of them does.
"""
