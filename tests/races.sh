#!/usr/bin/env bash
# Every kernel of every program under tests/versions and tests/text/kernels is proven to have no race, those for processors
# too (those of tests/run: run-tests, by --prove-races; those of the examples: explain.sh and examples.sh).
set -u
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 2
folder=$(mktemp -d "$TEST_FOLDER/races.XXXXXX")
number=0
for file in tests/versions/*.core tests/text/kernels/*.core; do
    # Under sanitizers one of eight.
    [ "${RUN_C:-1}" -eq 1 ] || [ $((number++ % 8)) -eq 0 ] || continue
    if "$TAILOR" emit --to=kernels --processors --verify-each --prove-races "$file" >/dev/null 2>"$folder/errors"; then
        ok "races/$file"
    else
        not_ok "races/$file" "$folder/errors"
    fi
done
