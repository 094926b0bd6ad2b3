# Builds the code blocks of documents and headers and runs the fragments: run.bash CMAKE TREE BIN
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" --build "$2" --target code_blocks >"$work/log" 2>&1 || { grep -vE '^\[[0-9]+/' "$work/log"; exit 1; }
cd "$work"
"$3/fragments" >output 2>&1 || { cat output; exit 1; }
tail -n 1 output
