# Completion of the tailor command for bash: source this file, or install it in
# share/bash-completion/completions/tailor.
_tailor() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words
    local compiling='--language= --int= --real= --dump-after= --verify-each --flatten-all --group-all --keep-calls --prove-races --stats --help'
    case $COMP_CWORD:$command in
    1:*) words='run build emit check explain opt compare devices --help --version' ;;
    *:run) words="-b --backend= --device= --cc= --profile --verbose --stream-chunk= --entry= -o --output=
                  $compiling" ;;
    *:build) words="-b --backend= --lib --python --cc= -o --output= --verbose $compiling" ;;
    *:emit) words="--to=tokens --to=tree --to=tail --to=core --to=kernels --to=c --to=opencl
                   --no-instances --processors -b -o --output= $compiling" ;;
    *:compare) words="--device= --cc= --entry= --tolerance= $compiling" ;;
    *:explain) words="--dot --svg -o --output= $compiling" ;;
    *:check) words=$compiling ;;
    *:opt) words="--passes= --explain --run --entry= -o --output= $compiling" ;;
    *) words=--help ;;
    esac
    case ${COMP_WORDS[COMP_CWORD - 1]} in
    -b) words='opencl c interp' ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    [ "$COMP_CWORD" -eq 1 ] || mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
}
complete -o filenames -F _tailor tailor
