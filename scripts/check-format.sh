#!/bin/sh
# Fails if a source is not as `make format` would leave it.
exec "$(dirname "$0")/format.sh" --dry-run -Werror
