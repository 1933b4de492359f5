#!/usr/bin/env bash
# Every kernel of every program under tests/versions and tests/text/kernels is proven to have no race (those of tests/run:
# run-tests, by --prove-races; those of the examples: explain.sh), but for these, which are run by cases instead:
#
# centred, t      a row that several work-groups share, some lanes each, and of which each row is written: places are
#                 part × chunk + lane × piece + i, where the host computes all of these from the device's number of
#                 work-items, and a scalar of the host says whether there are parts at all
# x               tiles of pieces of segments under an outer map: which piece, which row of the map and which tile it is are
#                 quotients of one number of a group by products of numbers of tiles
# x4, y4          rows that are a part of an array begin behind n / 2 others; that n is not negative is not known
set -u
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 2
folder=$(mktemp -d "$TEST_FOLDER/races.XXXXXX")
# Program, and the array whose elements are written, for each kernel.
sort >"$folder/known" <<'END'
tests/text/kernels/parts.core x4
tests/text/kernels/parts.core y4
tests/versions/groups.core centred
tests/versions/products.core x
tests/versions/reductions.core t
tests/versions/tiles.core x
tests/versions/tiles.core x
tests/versions/units.core x
tests/versions/units.core x
END
number=0
for file in tests/versions/*.core tests/text/kernels/*.core; do
    # Under sanitizers one of eight.
    [ "${RUN_C:-1}" -eq 1 ] || [ $((number++ % 8)) -eq 0 ] || continue
    # Some are errors of the compiler, by their headers.
    "$TAILOR" explain "$file" >"$folder/explained" 2>/dev/null || continue
    grep '^ *races   ' "$folder/explained" >"$folder/unproven"
    # The array of the first of the two places; other reasons stay as they are.
    sed -e 's/^ *races   //' -e 's/^.*not proven: `\([a-z0-9]*\)_[0-9]*\[.*/\1/' -e "s|^|$file |" "$folder/unproven" |
        sort >"$folder/found"
    grep "^$file " "$folder/known" >"$folder/expected"
    if cmp -s "$folder/expected" "$folder/found"; then
        ok "races/$file"
    else
        # One that is proven now is no exception any more.
        diff "$folder/expected" "$folder/found" >"$folder/differs"
        not_ok "races/$file" "$folder/differs" "$folder/unproven"
    fi
done
