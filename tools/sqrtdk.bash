# SPDX-License-Identifier: BSL-1.0
# Completion of sqrtdk for bash; it needs nothing of the package bash-completion.
_sqrtdk() {
  local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} choices=(-W '')
  # bash takes the sign of --plot=law.svg for a word of its own
  if [[ $word == = ]]; then
    word=
  elif [[ $option == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi

  if ((COMP_CWORD == 1)); then
    choices=(-W 'law --help --version')
  elif [[ $option == --plot ]]; then
    choices=(-f)
    compopt -o filenames 2> /dev/null
  elif [[ $word == -* ]]; then
    choices=(-W '--pdf --cdf --sf --quantile --plot --json --help')
  fi
  mapfile -t COMPREPLY < <(compgen "${choices[@]}" -- "$word")
}
complete -F _sqrtdk sqrtdk
