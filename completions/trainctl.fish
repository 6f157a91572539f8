# Fish completion for trainctl: it asks `trainctl __complete` and holds no names of its own.

function __trainctl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l answers (trainctl __complete -- $words[2..-1] "$current" 2>/dev/null)
    if set -q answers[1]
        printf '%s\n' $answers
    else
        # Where trainctl knows no answer, file names are offered.
        __fish_complete_path "$current"
    end
end

complete -c trainctl -f -a '(__trainctl_complete)'
