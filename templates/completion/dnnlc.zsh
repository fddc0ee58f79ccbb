# Completion of dnnlc for zsh. Placeholders are @name@. SPDX-License-Identifier: Apache-2.0
//@begin
#compdef dnnlc
# Completion of dnnlc @version@ for zsh, as dnnlc --completion zsh prints it.

_dnnlc_models()
{
    _files -g '*.(onnx|ir)'
}

# Models, and subcommands as the first word.
_dnnlc_first()
{
    local -a commands
    commands=(
//@for commands
//@if command
        '@command@:@command_help@'
//@end
//@end
    )
    _alternative 'subcommands:subcommand:{ (( CURRENT == 2 )) && _describe -t subcommands subcommand commands }' \
        'models:model:_dnnlc_models'
}

//@for commands
_dnnlc_of_@command@()
{
    _arguments \
//@for options
//@if is_flag
        '@name@[@help@]' \
//@end
//@if is_timed
        '@name@=-[@help@]::@argument@:' \
//@end
//@if is_varied
        '@name@=-[@help@]::@argument@:(@words@)' \
//@end
//@if is_file
        '@name@[@help@]:@may_be_bare@@argument@:_files' \
//@end
//@if is_pair
        '@repeats@@name@[@help@]:@argument@:{ compset -P "*=" && _files }' \
//@end
//@if is_folder
        '@name@[@help@]:@argument@:_files -/' \
//@end
//@if is_command
        '@name@[@help@]:@argument@:_command_names -e' \
//@end
//@if is_word
        '@repeats@@name@[@help@]:@argument@:(@words@)' \
//@end
//@if is_list
        '@name@[@help@]:@argument@:_sequence compadd - @words@' \
//@end
//@if is_open
        '@repeats@@name@[@help@]:@argument@:' \
//@end
//@end
//@if command
        '1:model:_dnnlc_models'
//@else
        '1:model:_dnnlc_first'
//@end
}

//@end
_dnnlc()
{
    local command=
    if (( CURRENT > 2 )); then
        command=$words[2]
    fi
    case $command in
//@for commands
//@if command
    @command@)
        shift words
        (( CURRENT-- ))
        _dnnlc_of_@command@ ;;
//@end
//@end
    *) _dnnlc_of_ ;;
    esac
}

_dnnlc
