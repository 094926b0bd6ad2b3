# Every source is formatted as .clang-format says, judged by clang-format 14.
for tool in clang-format-14 clang-format; do
  [[ $("$tool" --version 2>/dev/null) == *'version 14.'* ]] || continue
  find apps bench bindings examples include src studies tests -name '*.[ch]pp' -print0 |
    xargs -0 "$tool" --dry-run --Werror
  exit
done
echo 'clang-format 14 is not installed: ./test installs it on Debian'
exit 1
