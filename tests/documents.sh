#!/usr/bin/env bash
# The documents agree with the tables that they are made from, and the manual has an example of every primitive.
set -u
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 2

# up_to_date DOCUMENT SCRIPT BEGIN END: what stands between the marks is what the script prints.
up_to_date() {
    local folder
    folder=$(mktemp -d "$TEST_FOLDER/documents.XXXXXX")
    awk -v begin="$3" -v end="$4" 'index($0, end) == 1 { inside = 0 } inside { print } index($0, begin) == 1 { inside = 1 }' \
        "$1" >"$folder/there"
    "$2" >"$folder/made"
    compare "$1 is up to date: $2 --update" "$folder/made" "$folder/there"
    rm -rf "$folder"
}
up_to_date docs/tail.md docs/make-tail-table '<!-- table' '<!-- end of table'
up_to_date docs/language.md docs/make-primitive-table '<!-- primitives' '<!-- end of primitives'

# Examples are lines of blocks of APL that are no comments.
awk '/^```apl/ { inside = 1; next } /^```/ { inside = 0 } inside && !/^⍝/' docs/language.md >"$TEST_FOLDER/manual-examples"
sed -n 's/^APL_PRIMITIVE([A-Z_]*, "\(\\*[^"]*\)".*/\1/p' apl/primitives.def | sed 's/^\\\\/\\/' | while IFS= read -r glyph; do
    if [ "$glyph" = ⍎ ] || grep -qF -e "$glyph" "$TEST_FOLDER/manual-examples"; then
        ok "docs/language.md has an example of $glyph"
    else
        not_ok "docs/language.md has no example of $glyph"
    fi
done
