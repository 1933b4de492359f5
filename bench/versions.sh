# The versions of each measured program, how they are built and how they run; sourced by bench/run.
#
# A version is an executable that understands --repeat=N, --profile and --device=D as generated programs do: it
# prints its results, then on standard error a line a run, `run 1 of 20: 0.046927 ms, 1 kernel`.
#
#   hand-c, hand-opencl       bench/reference (the nine)
#   tailor-c, tailor-opencl   apl-examples/NAME.apl, bench/micro/NAME.core
#   cuda                      bench/cuda (micro): CUB, Thrust, cuBLAS

is_micro() {
    [ -e "bench/micro/$1.core" ]
}
versions_of() {
    local backend
    if is_micro "$1"; then
        for backend in $backends; do
            [ "$backend" = opencl ] || echo tailor-c
            [ "$backend" = c ] || {
                ! command -v nvcc >/dev/null || echo cuda
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
    mkdir -p "$build/bench"
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
    [ "$sizes" = full ] || sed -n 's/^\(⍝\|--\) test: *//p' "$(source_of "$1")" | head -n 1
}

# run_version PROGRAM VERSION OPTION...
run_version() {
    local program=$1 version=$2 choice=()
    shift 2
    [ -z "$device" ] || choice=(--device="$device")
    # shellcheck disable=SC2046
    case $version in
    hand-c) "$build/bench/reference" "$program" c $(size_options "$program") "$@" ;;
    hand-opencl)
        "$build/bench/reference" "$program" opencl "${choice[@]}" $(size_options "$program") "$@"
        ;;
    tailor-c) "$build/bench/$program-c" $(size_options "$program") $(inputs_of "$program") "$@" ;;
    tailor-opencl)
        "$build/bench/$program-opencl" "${choice[@]}" $(size_options "$program") $(inputs_of "$program") "$@"
        ;;
    cuda) "$build/bench/cuda" "$program" $(inputs_of "$program") "$@" ;;
    esac </dev/null
}
inputs_of() {
    :
}
