"""How each goal is answered: `answer` in the module of the same name as that of the goal, imported when it is asked."""
