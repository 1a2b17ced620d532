# Completion of sluice for bash 3.2 and later, without the package bash-completion. It runs nothing that stands on the
# line, such as $(...). Readline breaks words at = and :, which are put together here, and taken off the candidates.
_sluice() {
  local words=() word last='' glued=0 i line directive=0
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i > 1)) && { ((glued)) || [[ $word == [=:]* ]]; }; then
      last=${words[${#words[@]} - 1]}$word
      words[${#words[@]} - 1]=$last
    else
      words+=("$word")
    fi
    if [[ $word == *[=:] ]]; then glued=1; else glued=0; fi
  done
  word=${words[${#words[@]} - 1]}
  local broken=${word%"${word##*[=:]}"}
  [[ $broken == --*= ]] && broken=''
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :* ]]; then
      directive=${line#:}
    else
      line=${line%%$'	'*}
      COMPREPLY+=("${line#"$broken"}")
    fi
  done < <(command sluice complete -- "${words[@]}" 2>/dev/null)
  if ((directive & 4)); then
    compopt +o default +o bashdefault 2>/dev/null
  fi
}
complete -o default -F _sluice sluice
