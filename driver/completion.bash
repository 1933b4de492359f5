# Completion of the tailor command for bash: source this file, or install it in
# share/bash-completion/completions/tailor. Bash takes the = of --option=value for a word of its own.
_tailor() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local words='' files=true option=''
    local compiling='--language= --int= --real= --dump-after= --verify-each --flatten-all --group-all --keep-calls --prove-races --stats --help'
    case $before:$word in
    *:=) option=$before word='' ;;
    =:*) option=${COMP_WORDS[COMP_CWORD - 2]} ;;
    -b:*) option=--backend ;;
    -o:*) option=--output ;;
    esac
    case $option:$command in
    --backend:run) words='opencl c interp' files=false ;;
    --backend:*) words='opencl c' files=false ;;
    --to:*) words='tokens tree tail core kernels c opencl' files=false ;;
    --language:*) words='apl tail core' files=false ;;
    --int:* | --real:*) words='64 32' files=false ;;
    --output:* | --cc:*) ;;
    --*) files=false ;;
    :run) words="-b --backend= --device= --cc= --profile --verbose --stream-chunk= --entry= -o --output=
                 $compiling" ;;
    :build) words="-b --backend= --lib --python --cc= -o --output= --verbose $compiling" ;;
    :emit) words="--to= --no-instances --processors -b --backend= -o --output= $compiling" ;;
    :compare) words="--device= --cc= --entry= --tolerance= $compiling" ;;
    :explain) words="--dot --svg -o --output= $compiling" ;;
    :check) words=$compiling ;;
    :opt) words="--passes= --explain --run --entry= -o --output= $compiling" ;;
    *) words=--help ;;
    esac
    if [[ -z $option && $word == -* ]]; then
        files=false
    elif [[ -z $option ]]; then
        words=''
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        words='run build emit check explain opt compare devices --help --version' files=false
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; $files && compgen -f -- "$word")
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o filenames -F _tailor tailor
