# Completion of dnnlc for bash. Placeholders are @name@. SPDX-License-Identifier: Apache-2.0
//@begin
# Completion of dnnlc @version@ for bash, as dnnlc --completion bash prints it.

# One of the words $1; with a comma as $2 several, of which those before the last comma stay.
_dnnlc_words()
{
    local before=
    if [[ $2 && $cur == *,* ]]; then
        before=${cur%,*},
    fi
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${cur#"$before"}")
    if [[ $2 ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

# Files (-f) or folders (-d).
_dnnlc_paths()
{
    mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
    compopt -o filenames 2>/dev/null
}

# Models, folders that may have some, and subcommands as the first word.
_dnnlc_models()
{
    mapfile -t COMPREPLY < <(
        if ((COMP_CWORD == 1)); then
//@for commands
//@if command
            compgen -W '@command@' -- "$cur"
//@end
//@end
        fi
        compgen -f -X '!*.onnx' -- "$cur"
        compgen -f -X '!*.ir' -- "$cur"
        compgen -d -- "$cur"
    )
    compopt -o filenames 2>/dev/null
}

_dnnlc()
{
    local cur=${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1)) command= pair=
    COMPREPLY=()
    # NAME=VALUE is three words to bash.
    if [[ $cur == = ]]; then
        cur='' pair='=' at=$((at - 1))
    elif [[ ${COMP_WORDS[at]} == = ]]; then
        pair='=' at=$((at - 2))
    fi
    if ((COMP_CWORD > 1)); then
        command=${COMP_WORDS[1]}
    fi
    if [[ $cur == -* ]]; then
        case $command in
//@for commands
//@if command
        @command@) _dnnlc_words '@names@' ;;
//@end
//@end
//@for commands
//@if command
//@else
        *) _dnnlc_words '@names@' ;;
//@end
//@end
        esac
        return
    fi
    case $pair${COMP_WORDS[at]} in
//@for options
//@if is_varied
    =@name@) _dnnlc_words '@words@' ;;
//@end
//@if is_file
    @name@) _dnnlc_paths -f ;;
//@end
//@if is_pair
    @name@) ;;
    =@name@) _dnnlc_paths -f ;;
//@end
//@if is_folder
    @name@) _dnnlc_paths -d ;;
//@end
//@if is_command
    @name@) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
//@end
//@if is_word
    @name@) _dnnlc_words '@words@' ;;
//@end
//@if is_list
    @name@) _dnnlc_words '@words@' , ;;
//@end
//@if is_open
    @name@) ;;
//@end
//@end
    =*) ;;
    *) _dnnlc_models ;;
    esac
}

# Where nothing is found here, bash's own completion of files looks, which knows of quotes.
complete -o default -F _dnnlc dnnlc
