# Writes a C++ source that contains the texts of FILES as src/personality/builtin.h declares them.
list(SORT FILES)
set(rows "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND rows "    {\"${name}\", R\"personality(${text})personality\"},\n")
endforeach()
file(
  WRITE ${OUT}
  "#include \"personality/builtin.h\"\n\nnamespace patina {\nnamespace {\n\n"
  "constexpr BuiltinPersonality kBuiltin[] = {\n${rows}};\n\n}  // namespace\n\n"
  "std::span<const BuiltinPersonality> builtin_personalities() {\n  return kBuiltin;\n}\n\n}  // namespace patina\n")
