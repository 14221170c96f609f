# completion of rulesdsl in bash
_rulesdsl() {
  local line word=${COMP_LINE:0:COMP_POINT} part=${COMP_WORDS[COMP_CWORD]#[=:]}
  word=${word##*[[:space:]]}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files | :folders)
        compopt -o filenames 2>/dev/null
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(
          if [[ $line == :files ]]; then compgen -f -- "$part"; else compgen -d -- "$part"; fi)
        ;;
      *)
        line=${line%%$'\t'*}
        [[ $line == *= ]] && compopt -o nospace 2>/dev/null
        COMPREPLY+=("${line#"${word%"$part"}"}")  # bash replaces only what follows = or :
        ;;
    esac
  done < <("${1/#\~/$HOME}" --complete "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -F _rulesdsl rulesdsl
