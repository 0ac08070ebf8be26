# Sourced by ./satlife and the scripts: makes sure that .venv has the packages they need.
# `environment core ARGUMENT ...` for running a command, `environment dev` for checks and tests.  Expects $here, the
# checkout.

find_python() {
    for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            echo "$candidate"
            return 0
        fi
    done
    echo "satlife: Python 3.11 or newer is missing; install it, or name it with PYTHON=/path/to/python3" >&2
    return 1
}

ready() {
    # A stamp is written last and holds the checkout and pyproject.toml of the set-up, so that an interrupted, moved or
    # outdated .venv is recognised.
    { echo "$here"; cat "$here/pyproject.toml"; } | cmp -s - "$here/.venv/ready-$1"
}

environment() {
    # Checks, tests and measurements leave nothing running, and are not disturbed by it.
    if [ "$1" = dev ]; then export SATLIFE_BACKGROUND=0; fi
    if [ -x "$here/.venv/bin/python" ] && { ready dev || { [ "$1" = core ] && ready all; }; }; then return 0; fi
    python=$(find_python) || return 1
    "$python" "$here/scripts/setup.py" "$here" "$@"
}
