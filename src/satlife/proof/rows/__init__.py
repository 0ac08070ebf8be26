"""Certificates for boxes of any length: no ship, wave or oscillator of this width, however long it is.

The rows of a ship, of all its generations, form one sequence, in which 2p rows, a window, decide what may follow (see
`sequence`).  A ship is a walk from the empty window back to it.  So a list of windows shows that there is none, if

1. every walk that leaves the empty window, or a window of the list, comes to a window of the list or to an end;
2. none comes to the empty window.

An oscillator's rows go line by line, and a window is two lines (see `lines`).  Still lifes and oscillators of a smaller
period come back to emptiness, too; so a window is listed with the period of all lines up to it, and none may come to
emptiness with the period that is asked for.

Nothing here shares code with the search row by row, which such a list comes from."""
