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

up_to_date docs/passes.md docs/make-rules-table '<!-- rules' '<!-- end of rules'

# examples DOCUMENT: a block that begins with ```core COMMAND is a program, and the next block is what the command
# prints of it, with canonical names.
examples() {
    local folder number
    folder=$(mktemp -d "$TEST_FOLDER/examples.XXXXXX")
    awk -v folder="$folder" '
        /^```core ./ { number++; file = folder "/" number ".core"; print substr($0, 9) >(folder "/" number ".command"); next }
        /^```text/ && number && !(number in made) { made[number] = 1; file = folder "/" number ".expected"; next }
        /^```/ { file = "" }
        file != "" { print >file }' "$1"
    for number in $(cd "$folder" && ls -- *.command | sed 's/\.command$//' | sort -n); do
        cp "$folder/$number.core" "$folder/example.core"
        # The command is a list of words.
        # shellcheck disable=SC2046
        (cd "$folder" && "$TAILOR" $(cat "$number.command") --verify-each example.core 2>&1) |
            docs/canonical-names >"$folder/actual"
        compare "$1, example $number: $(cat "$folder/$number.command")" "$folder/$number.expected" "$folder/actual"
    done
    rm -rf "$folder"
}
examples docs/passes.md

# The reasons that docs/performance.md gives advice for are those that `tailor explain` gives; "..." is filled in there.
sed -n 's/^CORE_REASON([A-Z]*, "\(..*\)")$/\1/p' core/fuse/reasons.def >"$TEST_FOLDER/reasons"
awk -F ' *[|] *' '/^[|] reason [|]/ { inside = 1; next } !/^[|]/ { inside = 0 } inside && $2 != "---" { print $2 }' docs/performance.md |
    while IFS= read -r reason; do
        # shellcheck disable=SC2001
        if grep -qx -e "$(sed 's/\.\.\./.*/g' <<<"$reason")" "$TEST_FOLDER/reasons"; then
            ok "docs/performance.md has a reason: $reason"
        else
            not_ok "docs/performance.md has what is no reason: $reason"
        fi
    done

# Examples are lines of blocks of APL that are no comments.
awk '/^```apl/ { inside = 1; next } /^```/ { inside = 0 } inside && !/^⍝/' docs/language.md >"$TEST_FOLDER/manual-examples"
sed -n 's/^APL_PRIMITIVE([A-Z_]*, "\(\\*[^"]*\)".*/\1/p' apl/primitives.def | sed 's/^\\\\/\\/' | while IFS= read -r glyph; do
    if [ "$glyph" = ⍎ ] || grep -qF -e "$glyph" "$TEST_FOLDER/manual-examples"; then
        ok "docs/language.md has an example of $glyph"
    else
        not_ok "docs/language.md has no example of $glyph"
    fi
done
