# Completion of dnnlc for fish. Placeholders are @name@. SPDX-License-Identifier: Apache-2.0
//@begin
# Completion of dnnlc @version@ for fish, as dnnlc --completion fish prints it.

# Whether the line is one of this subcommand; '' is that of none.
function __dnnlc_is
    set -l words (commandline -opc)
    set -l command ''
    if set -q words[2]; and contains -- $words[2]@subcommands@
        set command $words[2]
    end
    test "$command" = "$argv[1]"
end

complete -c dnnlc -f -k -a '(__fish_complete_suffix .onnx)'
//@for commands
//@if command
complete -c dnnlc -n __fish_is_first_token -a @command@ -d '@command_help@'
//@end
set -l of -n '__dnnlc_is "@command@"'
//@for options
//@if is_flag
complete -c dnnlc $of @dash@ @word@ -d '@help@'
//@end
//@if is_timed
complete -c dnnlc $of @dash@ @word@ -d '@help@'
//@end
//@if is_varied
complete -c dnnlc $of @dash@ @word@ -d '@help@'
//@end
//@if is_file
complete -c dnnlc $of @dash@ @word@ -d '@help@' -r -F
//@end
//@if is_pair
complete -c dnnlc $of @dash@ @word@ -d '@help@' -r -F
//@end
//@if is_folder
complete -c dnnlc $of @dash@ @word@ -d '@help@' -x -a '(__fish_complete_directories)'
//@end
//@if is_command
complete -c dnnlc $of @dash@ @word@ -d '@help@' -x -a '(__fish_complete_command)'
//@end
//@if is_word
complete -c dnnlc $of @dash@ @word@ -d '@help@' -x -a '@words@'
//@end
//@if is_list
complete -c dnnlc $of @dash@ @word@ -d '@help@' -x -a '(__fish_append , @words@)'
//@end
//@if is_open
complete -c dnnlc $of @dash@ @word@ -d '@help@' -x
//@end
//@end
//@end
