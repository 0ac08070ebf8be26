"""The one door: `answer` takes an Ask, `plan` chooses the engines, `race` runs them and verifies every find."""
