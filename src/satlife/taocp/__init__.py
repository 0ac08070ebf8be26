"""The Life exercises and figures of Knuth's The Art of Computer Programming, Section 7.2.2.2, as runnable studies."""
