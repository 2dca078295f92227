# Without the package bash-completion, this finds the words of the line: bash
# itself splits them at = and : as well. Only what the script below asks for is
# here.
if ! declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
_get_comp_words_by_ref() {
    local i word rest=${COMP_LINE:0:COMP_POINT} trimmed
    words=() cword=-1
    for ((i = 0; i <= COMP_CWORD; i++)); do
        trimmed=${rest#"${rest%%[![:blank:]]*}"}
        word=${COMP_WORDS[i]}
        ((i < COMP_CWORD)) || word=$trimmed # as far as the cursor
        if [[ $i -eq 0 || $trimmed != "$rest" ]]; then
            words[++cword]=$word
        else
            words[cword]+=$word
        fi
        rest=${trimmed#"$word"}
    done
    cur=${words[cword]} prev=
    ((cword == 0)) || prev=${words[cword - 1]}
    return 0
}
fi

