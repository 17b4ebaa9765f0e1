// Fuzzes Geriatrix's texts: the input is the three of them, with a `=` between.
#include "model/geriatrix_profile.h"

#include "profile_fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view left = patina::text_of(data, size);
  const auto take_text = [&left] {
    const size_t end = left.find('=');
    const std::string_view text = left.substr(0, end);
    left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
    return text;
  };
  patina::GeriatrixTexts texts;
  texts.size = take_text();
  texts.depth = take_text();
  texts.age = left;
  patina::require_sense(patina::parse_geriatrix_profile("folder", texts));
  return 0;
}
