@echo off
rem satlife from this checkout, on Windows.  The first run sets up a private .venv; later ones start at once.
setlocal
set "here=%~dp0"
if not defined PYTHON (
    for %%c in (py.exe python3.exe python.exe) do if not defined PYTHON if not "%%~$PATH:c" == "" set "PYTHON=%%c"
)
if not exist "%here%.venv\ready-core" (
    "%PYTHON%" -c "import sys; sys.exit(sys.version_info < (3, 11))" >nul 2>nul || (
        echo satlife: Python 3.11 or newer is missing; install it, or name it with set PYTHON=C:\path\to\python.exe 1>&2
        exit /b 1
    )
)
"%PYTHON%" -P "%here%scripts\setup.py" "%here%." core %* || exit /b 1
"%here%.venv\Scripts\python.exe" -P -X utf8 "%here%src\satlife\__main__.py" %*
