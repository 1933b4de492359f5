#!/usr/bin/env bash
# Every kernel of every program under tests/run is proven to have no race (those of the examples: explain.sh).
set -u
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 2
folder=$(mktemp -d "$TEST_FOLDER/races.XXXXXX")
number=0
for file in tests/run/*.apl tests/run/*.core tests/run/*.tail; do
    # Under sanitizers one of eight.
    [ "${RUN_C:-1}" -eq 1 ] || [ $((number++ % 8)) -eq 0 ] || continue
    # Some are errors of the compiler, by their headers.
    "$TAILOR" explain "$file" >"$folder/explained" 2>/dev/null || continue
    if grep '^ *races   ' "$folder/explained" >"$folder/unproven"; then
        not_ok "races/$file" "$folder/unproven"
    else
        ok "races/$file"
    fi
done
