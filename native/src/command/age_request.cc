// Converts a JSON document to the words of a command line, which are parsed and checked as any other.
#include "command/age_request.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace patina {
namespace {

using nlohmann::json;

Error usage(std::string message) {
  return {ErrorCode::kUsage, std::move(message)};
}

// Reads byte by byte, since the bytes after the line are for the listener.
Result<std::string> first_line_of_input() {
  std::string line;
  for (char byte = 0; line.size() <= kMaxRequestBytes;) {
    const ssize_t count = read(STDIN_FILENO, &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return usage(fmt::format("--request -: {}", std::strerror(errno)));
    if (count == 0 || byte == '\n') return line;
    line.push_back(byte);
  }
  return usage(fmt::format("--request -: the first line is longer than {} bytes", kMaxRequestBytes));
}

Result<std::string> text_of(const std::string& file) {
  if (file == "-") return first_line_of_input();
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) return usage(fmt::format("--request {}: it cannot be read", file));
  return text;
}

Result<std::string> word_of(std::string name, const json& value) {
  std::string option = name;
  std::replace(option.begin(), option.end(), '_', '-');
  if (value.is_boolean() || value.is_number()) return fmt::format("--{}={}", option, value.dump());
  if (!value.is_string()) return usage(fmt::format("'{}' of the request is neither text nor a number", name));
  const auto& text = value.get_ref<const std::string&>();
  if (text.empty() || text.find('\0') != std::string::npos) {
    return usage(fmt::format("'{}' of the request is empty, or contains a zero byte", name));
  }
  return fmt::format("--{}={}", option, text);
}

}  // namespace

Result<AgeRequest> read_age_request(const std::string& file) {
  const Result<std::string> text = text_of(file);
  if (!text) return text.error();
  const json document = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return usage("the request is not a JSON object");
  AgeRequest request;
  for (const auto& [name, value] : document.items()) {
    if (value.is_null()) continue;
    if (name == "profile") {
      request.profile_document = value.dump();
      request.words.emplace_back("--profile=the request");
      continue;
    }
    Result<std::string> word = word_of(name, value);
    if (!word) return word.error();
    request.words.push_back(*std::move(word));
  }
  return request;
}

}  // namespace patina
