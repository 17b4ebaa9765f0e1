// Sizes on the command line. Includes CLI11, which costs seconds to compile.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>

namespace patina {

// Sizes such as 1073741824, 1GiB or 256 KiB; powers of 1024 only.
inline CLI::Validator byte_size() {
  return CLI::AsNumberWithUnit(
      std::map<std::string, uint64_t>{
          {"B", 1}, {"KiB", 1ULL << 10U}, {"MiB", 1ULL << 20U}, {"GiB", 1ULL << 30U}, {"TiB", 1ULL << 40U}},
      CLI::AsNumberWithUnit::CASE_SENSITIVE, "BYTES[KiB|MiB|GiB|TiB]");
}

}  // namespace patina
