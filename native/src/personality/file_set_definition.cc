// Defaults as in Filebench 1.5.
#include "personality/file_set_definition.h"

#include <fmt/format.h>

namespace patina {
namespace {

constexpr std::string_view kFileSetWords[] = {
    "name",     "path",       "entries",   "size",      "filesize", "filesizegamma",
    "dirwidth", "dirdepthrv", "dirgamma",  "leafdirs",  "prealloc", "paralloc",
    "reuse",    "readonly",   "writeonly", "trusttree", "cached",   "sizegamma"};

double allocated_fraction(StatementCursor& cursor, const Attributes& given) {
  const Attribute* found = StatementCursor::find(given, {"prealloc"});
  if (found == nullptr) return 0;
  if (!found->value) return 1;
  if (found->value->kind == Value::Kind::kFlag) return found->value->flag ? 1 : 0;
  return cursor.constant(given, {"prealloc"}, 100, 0, 100) / 100;
}

}  // namespace

FileSetSpec read_file_set(StatementCursor& cursor, const Token& what) {
  const Attributes given = cursor.attributes(kFileSetWords, what.text);
  FileSetSpec set;
  set.name = cursor.required_name(given, what.text, what.place);
  set.is_single_file = what.text == "file";
  set.bytes = cursor.number(given, {"size", "filesize"}, Number::of(1024));
  // As in Filebench 1.5, a constant size is constant; 1.4 varied it unless told otherwise.
  const double shape = cursor.constant(given, {"filesizegamma", "sizegamma"}, 0, 0, 1e6) / 1000;
  if (set.bytes.distribution == Distribution::kConstant && shape > 0 && set.bytes.mean > 0) {
    set.bytes.distribution = Distribution::kGamma;
    set.bytes.shape = shape;
  }
  const double usual_count = StatementCursor::find(given, {"leafdirs"}) == nullptr ? 1024 : 0;
  set.files_count =
      set.is_single_file ? Number::of(1) : cursor.number(given, {"entries"}, Number::of(usual_count));
  if (const Attribute* entries = StatementCursor::find(given, {"entries"});
      entries != nullptr && entries->value) {
    set.files_variable = entries->value->variable;
  }
  set.directory_width =
      set.is_single_file ? Number::of(0) : cursor.number(given, {"dirwidth"}, Number::of(0));
  set.directory_shape = cursor.constant(given, {"dirgamma"}, 1500, 0, 1e6) / 1000;
  if (StatementCursor::find(given, {"dirdepthrv"}) != nullptr)
    set.depth = cursor.number(given, {"dirdepthrv"}, {});
  set.leaf_directories_count = cursor.number(given, {"leafdirs"}, Number::of(0));
  set.allocated_fraction = allocated_fraction(cursor, given);
  set.read_only = cursor.flag(given, {"readonly"});
  set.write_only = cursor.flag(given, {"writeonly"});
  if (cursor.failed()) return set;
  if (set.name.find('/') != std::string::npos || set.name == "." || set.name == "..") {
    cursor.fail(what.place, fmt::format("'{}' cannot be the name of a folder", set.name));
  }
  return set;
}

}  // namespace patina
