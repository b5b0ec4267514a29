"""`python -m stack` is `logsieve`."""

from stack.cli import main

if __name__ == "__main__":
    main()
