# README and docs/ are true: documents.bash PROGRAM EXAMPLE BLOCKS
#
# Of every document, in a folder of its own with a copy of the examples, one block after the other:
#   ```sh          commands; they are run, with PROGRAM as ./run, and must succeed
#   ```cpp         with `main`: a program, which is run (BLOCKS has it, by blocks/extract.bash); in the tutorial a part
#                  of its example
#   ```text        what the block before prints, every line of it; ... stands for anything. If it begins with
#                  "chasles COMMAND", it is a summary of commands: the program has all these commands and options
#   ```xml, yaml   with the name of an example in its first line: that file
# <!-- not run: REASON --> before a block of commands says that they take minutes, a network or packages. These are
# counted. Commands stand in such blocks only: an indented line that begins as one is an error.
set -uo pipefail
program=$1 example=$2 blocks=$3 failures=0
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf '%s\n' "$document: $1" "${@:2}"; ((++failures)); }

prepare() { # the folder of a document
  mkdir -p "$work/$1/build/release/examples"
  cd "$work/$1" || exit
  cp -r "$root/examples" .
  printf '#!/bin/bash\nexec %q "$@"\n' "$program" >run
  printf '#!/bin/bash\nexec %q "$@"\n' "$example" >build/release/examples/tutorial
  chmod +x run build/release/examples/tutorial
}
usage() { # LINE: a command, and the options named before its description
  local command help option
  read -r _ command _ <<<"$1"
  [[ $command == help ]] && return
  help=$("$program" "$command" --help 2>&1) || fail "no such command: $1"
  for option in $(grep -oE -- '(^|[ [])--?[a-z]+' <<<"${1%%  *}" | tr -d ' ['); do
    grep -qE -- "(^|[ ,])$option([ ,]|$)" <<<"$help" || fail "chasles $command has no $option: $1"
  done
  ((++usages))
}
compare() { # TEXT: with $output
  local line pattern
  while IFS= read -r line; do
    [[ $line == 'chasles '[a-z]* ]] && { usage "$line"; continue; }
    pattern=$(printf '%s' "$line" | sed 's/[][*?\\]/\\&/g; s/\.\.\./*/g')
    [[ $'\n'$output$'\n' == *$'\n'$pattern$'\n'* ]] || fail "not printed: $line" "but: $output"
    ((++compared))
  done <<<"$1"
}
finish() { # KIND TEXT: a block has ended
  local name line
  case $1 in
    sh)
      if [[ -n $reason ]]; then
        not_run+=("$document: $reason")
      else
        output=$(bash -euo pipefail -c "$2" 2>&1) || fail "failed: $2" "$output"
        ((++commands))
      fi ;;
    cpp)
      if [[ $2 == *$'\nint main'* ]]; then
        ((++programs))
        output=$("$blocks/program_$programs" 2>&1) || fail "a program failed:" "$output"
      elif [[ $document == docs/tutorial.md ]]; then
        while IFS= read -r line; do
          grep -qF -- "$line" "$root/examples/tutorial.cpp" || fail "not in tutorial.cpp: $line"
        done <<<"$2"
      fi ;;
    text) compare "$2" ;;
    xml | yaml)
      name=$(grep -o 'examples/[a-z_/]*\.[a-z]*' <<<"${2%%$'\n'*}") || return
      [[ $2 == "$(<"$root/$name")" ]] || fail "$name is another than in the document"
      ((++files)) ;;
  esac
}

commands=0 programs=0 files=0 compared=0 usages=0 not_run=()
mapfile -t documents < <(cd "$root" && ls README.md docs/*.md docs/*/*.md)  # as blocks/extract.bash numbers programs
for document in "${documents[@]}"; do
  prepare "$document"
  kind='' block='' reason='' output=''
  while IFS= read -r line; do
    if [[ $line == '```'* ]]; then
      [[ -n $kind ]] && finish "$kind" "${block%$'\n'}" && reason=''
      [[ -n $kind ]] && kind='' || { kind=${line#'```'} && kind=${kind:-none}; }
      block=''
    elif [[ -n $kind ]]; then
      block+=$line$'\n'
    elif [[ $line == '<!-- not run: '* ]]; then
      reason=${line#'<!-- not run: '} reason=${reason%' -->'}
    elif [[ $line =~ ^\ {4,}(\$ |\./|cmake |ctest |sudo |apt|chasles [a-z]|bench/|tools/) ]]; then
      fail "a command that stands in no \`\`\`sh block: $line"
    fi
  done <"$root/$document"
done

echo "$commands blocks of commands and $programs programs were run, $compared lines compared, $usages summaries and $files files"
printf 'not run: %s\n' "${not_run[@]}"
document=all
((commands >= 20 && programs >= 2 && files >= 3 && compared >= 50 && usages >= 12)) || fail 'there were more'
((${#not_run[@]} <= 5)) || fail 'more than 5 blocks of commands are not run'
exit $((failures > 0))
