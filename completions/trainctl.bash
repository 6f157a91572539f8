# Bash completion for trainctl: it asks `trainctl __complete` and holds no names of its own.

_trainctl() {
  local rest=${COMP_LINE:0:COMP_POINT} trimmed i words=() current prefix='' line
  # Bash cuts words at '=' and ':'; what had no blank before it belongs to the word before.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    trimmed=${rest#"${rest%%[![:space:]]*}"}
    if ((i > 0 && ${#trimmed} == ${#rest})); then
      words[${#words[@]} - 1]+=${COMP_WORDS[i]}
    else
      words+=("${COMP_WORDS[i]}")
    fi
    rest=${trimmed#"${COMP_WORDS[i]}"}
  done
  current=${words[${#words[@]} - 1]}
  # Bash keeps what stands before the last such character, so answers must not repeat it.
  [[ $current != *[=:]* || $COMP_WORDBREAKS != *[=:]* ]] || prefix=${current%"${current##*[=:]}"}

  COMPREPLY=()
  while IFS= read -r line; do
    line=${line%%$'\t'*}
    if [[ $line == : ]]; then
      # Nothing can stand here, so no file name can.
      compopt +o default +o bashdefault 2>/dev/null
    elif [[ $line == :/ ]]; then
      compopt +o default +o bashdefault -o dirnames 2>/dev/null
    elif [[ $line == "$current"* ]]; then
      # Bash puts an answer into the line as it is; a shell's signs must not act there.
      printf -v line %q "${line#"$prefix"}"
      COMPREPLY+=("$line")
    fi
  done < <(trainctl __complete -- "${words[@]:1}" 2>/dev/null)
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[=/:] ]]; then
    compopt -o nospace 2>/dev/null
  fi
}

# Where trainctl knows no answer, file names are offered.
complete -o bashdefault -o default -F _trainctl trainctl
