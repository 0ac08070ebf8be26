"""Named families of formulas for those who build SAT solvers, with what is known about each."""
