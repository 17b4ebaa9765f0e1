# Writes a C++ source that contains the texts of FILES, each under the name of its file without its ending. HEADER
# declares the struct TYPE of a name and a text, and FUNCTION, which returns them sorted by name.
list(SORT FILES)
set(rows "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND rows "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
endforeach()
file(
  WRITE ${OUT}
  "#include \"${HEADER}\"\n\nnamespace patina {\nnamespace {\n\n"
  "constexpr ${TYPE} kBuiltin[] = {\n${rows}};\n\n}  // namespace\n\n"
  "std::span<const ${TYPE}> ${FUNCTION}() {\n  return kBuiltin;\n}\n\n}  // namespace patina\n")
