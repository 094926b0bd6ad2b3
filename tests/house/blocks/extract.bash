# The C++ of documents and of comments in headers as files to compile: extract.bash FOLDER, in the root.
#
# A block is what stands between ```cpp and ``` of a document or, in a header, an indented block of a /// comment
# that has a statement: a line that ends with a semicolon. (Equations and files have none.) A block with `main` is
# a program, FOLDER/program_N.cpp, as it is. The others of a file become one function, in FOLDER/fragments.cpp:
#
# - `using namespace chasles;` is understood; all other namespaces are named;
# - names that nothing declares are those of tests/house/blocks/context.hpp, the same everywhere;
# - where a file uses one of them differently, tests/house/blocks/names.txt says how;
# - a block sees what the blocks before it in its file declare, and may declare it again.
set -euo pipefail
out=$1
mkdir -p "$out/new"
{ ls README.md docs/*.md docs/*/*.md; find include -name '*.hpp' | sort; } >"$out/new/files"

mapfile -t files <"$out/new/files"
awk -v out="$out/new" '
  function finish(i, statement, whole) {  # the lines that were collected are a block
    for (i = 1; i <= lines; ++i) {
      statement = statement || code[i] ~ /;[ }]*(\/\/.*)?$/
      whole = whole || code[i] ~ /^int main/
    }
    if (whole) {
      program = out "/program_" ++programs ".cpp"
      print "#line " first " \"" file "\"" >program
      for (i = 1; i <= lines; ++i) print code[i] >program
      print file ":" first >(out "/programs")
    } else if (statement || fenced) {
      if (!depth++) {
        print "struct Block" ++functions " : Context {\n  void execute() {" >fragments
        print "    where = \"" file "\";" >fragments
        for (i = 1; i <= names[file]; ++i) print name[file, i] >fragments
      }
      print "{\n#line " first " \"" file "\"" >fragments
      for (i = 1; i <= lines; ++i) print code[i] >fragments
      ++blocks
    }
    lines = 0
  }
  function close_file() {
    if (lines) finish()
    if (depth) {
      while (depth--) printf "}" >fragments
      print "\n  }\n};" >fragments
    }
    depth = fenced = 0
  }
  BEGIN {
    fragments = out "/fragments.cpp"
    printf "" >(out "/programs")
    print "#include \"house/blocks/context.hpp\"\nusing namespace chasles;" >fragments
    while ((getline line <"tests/house/blocks/names.txt") > 0)
      if (line ~ /^@ /) for_file = substr(line, 3)
      else if (line !~ /^#/ && line) name[for_file, ++names[for_file]] = line
  }
  FNR == 1 { close_file(); file = FILENAME; header = file ~ /\.hpp$/ }
  header {
    if (sub(/^ *\/\/\/     /, "")) { if (!lines) first = FNR; code[++lines] = $0 }
    else if (lines) finish()
    next
  }
  /^```cpp$/ { fenced = 1; first = FNR + 1; next }
  /^```/ { if (fenced) finish(); fenced = 0; next }
  fenced { code[++lines] = $0 }
  END {
    close_file()
    print "int main() {\n  int failures = 0;" >fragments
    for (i = 1; i <= functions; ++i) print "  failures += executed<Block" i ">();" >fragments
    print "  std::printf(\"\\n" blocks " blocks of " functions " files\\n\");" >fragments
    print "  return failures > 0;\n}" >fragments
  }
' "${files[@]}"

# What did not change keeps its date.
for file in "$out"/new/*; do
  cmp -s "$file" "$out/${file##*/}" || cp "$file" "$out"
done
for file in "$out"/program_*.cpp; do
  [[ -e $out/new/${file##*/} ]] || rm -f "$file"
done
rm -r "$out/new"
