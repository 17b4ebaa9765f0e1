// Fuzzes command lines: the input is the arguments, one a line.
#include "command/command_line.h"

#include <vector>

#include "fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMaxArguments = 64;
  std::vector<std::string> arguments = {"patina-core"};
  std::string_view left = patina::text_of(data, size);
  while (!left.empty() && arguments.size() < kMaxArguments) {
    const size_t end = left.find('\n');
    // As the kernel passes them: without a NUL.
    std::string argument(left.substr(0, end));
    argument.resize(argument.find('\0') == std::string::npos ? argument.size() : argument.find('\0'));
    arguments.push_back(std::move(argument));
    left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
  }
  std::vector<const char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  argv.push_back(nullptr);
  const auto parsed = patina::parse_command_line(static_cast<int>(arguments.size()), argv.data());
  patina::require(parsed.ok() || parsed.error().code == patina::ErrorCode::kUsage, "kUsage");
  return 0;
}
