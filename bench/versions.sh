# The versions of each measured program, how they are built and how they run; sourced by bench/run.
#
# A version is an executable that understands --repeat=N, --profile and --device=D as generated programs do: it
# prints its results, then on standard error a line a run, `run 1 of 20: 0.046927 ms, 1 kernel`.
#
#   hand-c, hand-opencl       bench/reference (the nine)
#   tailor-c, tailor-opencl   apl-examples/NAME.apl, bench/micro/NAME.core
#   cuda                      bench/cuda (micro): CUB, Thrust, cuBLAS

has_gpu() {
    command -v nvcc >/dev/null && nvidia-smi -L >/dev/null 2>&1
}
is_micro() {
    [ -e "bench/micro/$1.core" ]
}
versions_of() {
    local backend
    if is_micro "$1"; then
        for backend in $backends; do
            [ "$backend" = opencl ] || echo tailor-c
            [ "$backend" = c ] || {
                ! has_gpu || echo cuda
                echo tailor-opencl
            }
        done
        return
    fi
    for backend in $backends; do
        echo "hand-$backend" "tailor-$backend"
    done
}

# Sums of f32 in another order differ more.
tolerance_of() {
    if is_micro "$1"; then echo 1e-4; else echo 1e-9; fi
}

source_of() {
    if is_micro "$1"; then echo "bench/micro/$1.core"; else echo "apl-examples/$1.apl"; fi
}

build_version() {
    local input
    case $2 in
    hand-*)
        input=$(sed -n 's/^⍝ input: *//p' "$(source_of "$1")" | head -n 1)
        [ -z "$input" ] || "./$input"
        ;;
    tailor-*)
        input=$(sed -n 's/^⍝ input: *//p' "$(source_of "$1")" | head -n 1)
        [ -z "$input" ] || "./$input"
        "$TAILOR" build -b "${2#tailor-}" "$(source_of "$1")" -o "$build/bench/$1-${2#tailor-}"
        ;;
    cuda) make -s BUILD="$build" "$build/bench/cuda" ;;
    esac
}

# What makes a program small: `⍝ test: --n=1000`.
size_options() {
    [ "$sizes" = full ] || is_micro "$1" || sed -n 's/^\(⍝\|--\) test: *//p' "$(source_of "$1")" | head -n 1
}

limited() {
    timeout "${TIME_LIMIT:-600}" "$@"
}
# run_version PROGRAM VERSION OPTION...
run_version() {
    local program=$1 version=$2 choice=()
    shift 2
    [ -z "$device" ] || choice=(--device="$device")
    # shellcheck disable=SC2046
    case $version in
    hand-c) limited "$build/bench/reference" "$program" c $(size_options "$program") "$@" ;;
    hand-opencl)
        limited "$build/bench/reference" "$program" opencl "${choice[@]}" $(size_options "$program") "$@"
        ;;
    tailor-*)
        [ "$version" = tailor-opencl ] || choice=()
        limited "$build/bench/$program-${version#tailor-}" "${choice[@]}" $(size_options "$program") \
            $(inputs_of "$program") $(output_of "$program") "$@" && show_output "$program"
        ;;
    cuda) limited "$build/bench/cuda" "$program" $(inputs_of "$program") "$@" ;;
    esac </dev/null
}

# ---- values of small programs ---------------------------------------------------------------------
#
#     -- input: 1.5; f32 134217728        a number, and an array that make-input makes
#     -- small: 1.5; f32 100003           the same for --sizes=small
#     -- result: f32                      results are arrays, of which the last elements are compared

# Makes the arrays, and prints the words that give them to a program: 1.5 @FILE
inputs_of() {
    local key=input items item number=0 file
    is_micro "$1" || return
    [ "$sizes" = full ] || key=small
    IFS=';' read -ra items <<<"$(sed -n "s/^-- $key: *//p" "$(source_of "$1")")"
    for item in "${items[@]}"; do
        # shellcheck disable=SC2086
        set -- $item
        number=$((number + 1))
        if [ $# -eq 1 ]; then
            echo "$1"
            continue
        fi
        file=$work/${*// /-}-$number.npy
        file=${file// /-}
        # shellcheck disable=SC2086
        [ -e "$file" ] || "$build/bench/make-input" "$1/$number" "$file" ${*:2} >&2
        echo "@$file"
    done
}
result_type() {
    sed -n 's/^-- result: *//p' "$(source_of "$1")"
}
output_of() {
    ! is_micro "$1" || [ -z "$(result_type "$1")" ] || echo "--output=$work/result.npy"
}
# The last element of each result, as a program that gave nothing else would print it.
show_output() {
    local type file format=f4 bytes=4
    is_micro "$1" || return 0
    type=$(result_type "$1")
    [ -n "$type" ] || return 0
    case $type in
    f32) ;;
    f64) format=f8 bytes=8 ;;
    *) format=d4 ;;
    esac
    for file in "$work"/result.npy "$work"/result.?.npy; do
        [ ! -e "$file" ] || tail -c $bytes "$file" | od -An -t "$format" | sed "s/ //g; s/\$/$type/"
    done
    rm -f "$work"/result.*npy
}
