"""The automaton: rules, patterns, simulation, file formats.  No SAT in sight."""
