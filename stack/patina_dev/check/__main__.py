"""`python -m patina_dev.check`: verifies folders, includes, words, documents, citations and commits.

Prints one line for each violation and exits with 1 when there is one.
"""

import sys

from patina_dev.check import citations, commits, documents, folders, includes, prose
from patina_dev.check.tree import tracked


def main() -> int:
    """Run every check over the checkout."""
    files = tracked()
    found = [
        *folders.violations(files),
        *includes.violations(files),
        *prose.violations(files),
        *documents.violations(files),
        *citations.violations(files),
        *commits.violations(),
    ]
    for line in found:
        sys.stderr.write(f"{line}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
