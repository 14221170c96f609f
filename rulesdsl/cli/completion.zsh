#compdef rulesdsl
# completion of rulesdsl in zsh
_rulesdsl() {
  local line shown
  local -a lines
  lines=("${(@f)$(${~words[1]} --complete "${(j: :)words[1,CURRENT-1]} $PREFIX" 2>/dev/null)}")
  for line in $lines; do
    shown=${line/$'\t'/  -- }
    case $line in
      :files) _files ;;
      :folders) _files -/ ;;
      *=*$'\t'* | *=) compadd -S '' -l -d shown -- "${line%%$'\t'*}" ;;
      *) compadd -l -d shown -- "${line%%$'\t'*}" ;;
    esac
  done
}
if [[ $funcstack[1] == _rulesdsl ]]; then _rulesdsl "$@"; else compdef _rulesdsl rulesdsl; fi
