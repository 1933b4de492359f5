# awk -v tolerance=1e-9 -f numbers-agree.awk EXPECTED ACTUAL
# The files agree where they have the same lines of the same words, and words that are numbers differ by
# at most the tolerance, relatively (or by 1e-13 at all). Prints the first lines that do not; exit code 1.

# A word of core's values has brackets, a comma and a suffix around its number: [2.5f32, 3.0]
function number(word)
{
    gsub(/¯/, "-", word)
    sub(/^\[+/, "", word)
    sub(/\]*,?$/, "", word)
    sub(/f(32|64)$/, "", word)
    return word
}
function around(word,    inner, at)
{
    inner = number(word)
    gsub(/¯/, "-", word)
    at = index(word, inner)
    return substr(word, 1, at - 1) " " substr(word, at + length(inner))
}
function is_number(word)
{
    return number(word) ~ /^-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/
}
function size(x)
{
    return x < 0 ? -x : x
}
# A complex number: 3J4, and 3 is 3J0
function agree(a, b,    parts, others)
{
    if (a ~ /^[¯0-9][^J]*J[¯0-9]/ || b ~ /^[¯0-9][^J]*J[¯0-9]/) {
        split(a, parts, "J")
        split(b, others, "J")
        return agree_real(parts[1], others[1]) && agree_real(parts[2] == "" ? 0 : parts[2], others[2] == "" ? 0 : others[2])
    }
    return agree_real(a, b)
}
function agree_real(a, b,    x, y, largest)
{
    if (a == b)
        return 1
    if (!is_number(a) || !is_number(b) || around(a) != around(b))
        return 0
    x = number(a) + 0
    y = number(b) + 0
    largest = size(x) > size(y) ? size(x) : size(y)
    return size(x - y) <= tolerance * largest || size(x - y) <= 1e-13
}
FNR == NR { expected[FNR] = $0; expected_count = FNR; next }
{
    actual_count = FNR
    count = split($0, actual_words)
    same = FNR <= expected_count && split(expected[FNR], words) == count
    for (i = 1; same && i <= count; i++)
        same = agree(words[i], actual_words[i])
    if (!same && shown++ < 10)
        print "line " FNR ": expected " (FNR <= expected_count ? "'" expected[FNR] "'" : "no such line") \
              ", got '" $0 "'"
}
END {
    if (actual_count + 0 != expected_count + 0)
        print "expected " expected_count + 0 " lines, got " actual_count + 0
    exit shown > 0 || actual_count + 0 != expected_count + 0
}
