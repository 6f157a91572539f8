# Fish completion for trainctl: it asks `trainctl __complete` and holds no names of its own.

function __trainctl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l answers (trainctl __complete -- $words[2..-1] "$current" 2>/dev/null)
    if not set -q answers[1]
        # Where trainctl leaves it open, file names are offered.
        __fish_complete_path "$current"
    else if test "$answers[1]" = :/
        __fish_complete_directories "$current"
    else if test "$answers[1]" != :
        printf '%s\n' $answers
    end
end

complete -c trainctl -f -a '(__trainctl_complete)'
