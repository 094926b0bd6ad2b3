# docs/tutorial.md is true: tutorial.bash PROGRAM EXAMPLE
# Its commands (```sh, with ./run for the program) are run in a copy of the examples, one after the
# other; what it prints (```text) is what they print, where ... stands for anything; a block whose first
# line names a file is that file, and C++ is part of its example.
set -uo pipefail
program=$1 example=$2 failures=0
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$root/examples" "$work"
cd "$work"
printf '#!/bin/bash\nexec %q "$@"\n' "$program" >run
mkdir -p build/release/examples
printf '#!/bin/bash\nexec %q "$@"\n' "$example" >build/release/examples/tutorial
chmod +x run build/release/examples/tutorial
fail() { printf '%s\n' "$@"; ((++failures)); }

commands=0 files=0
finish() { # KIND TEXT: a block of the tutorial has ended
  case $1 in
    sh)
      output=$(bash -euc "$2" 2>&1) || fail "failed: $2" "$output"
      ((++commands)) ;;
    text)
      while IFS= read -r line; do
        pattern=$(printf '%s' "$line" | sed 's/[][*?\\]/\\&/g; s/\.\.\./*/g')
        [[ $'\n'$output$'\n' == *$'\n'$pattern$'\n'* ]] || fail "not printed: $line" "but: $output"
      done <<<"${2%$'\n'}" ;;
    cpp)
      while IFS= read -r line; do
        grep -qF -- "$line" "$root/examples/tutorial.cpp" || fail "not in tutorial.cpp: $line"
      done <<<"${2%$'\n'}" ;;
    xml | yaml)
      local name
      name=$(grep -o 'examples/[a-z_/]*\.[a-z]*' <<<"${2%%$'\n'*}") || return
      [[ ${2%$'\n'} == "$(<"$root/$name")" ]] || fail "$name is another than in the tutorial"
      ((++files)) ;;
  esac
}
kind='' block=''
while IFS= read -r line; do
  if [[ $line == '```'* ]]; then
    [[ -n $kind ]] && finish "$kind" "$block"
    [[ -n $kind ]] && kind='' || kind=${line#'```'}
    block=''
  elif [[ -n $kind ]]; then
    block+=$line$'\n'
  fi
done <"$root/docs/tutorial.md"
((commands >= 4 && files >= 2)) || fail "only $commands commands and $files files were found"
exit $((failures > 0))
