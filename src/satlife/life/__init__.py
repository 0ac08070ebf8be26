"""The cellular automaton: rules, patterns, simulation, file formats.  Nothing here knows of SAT."""
