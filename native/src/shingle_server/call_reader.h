// One request of a client: its fields, and the data behind it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "disk_model/spec_reader.h"

namespace patina {

// A line, and what follows it as its `data_bytes` says.
struct CallAnswer {
  nlohmann::ordered_json fields;
  std::vector<uint8_t> data;
};

class CallReader {
 public:
  static constexpr uint64_t kMostDataBytes = uint64_t{4} << 20U;  // of a request, and of an answer

  // `request`: an object without objects and lists in it. Both must outlive the reader.
  CallReader(const nlohmann::json& request, std::span<const uint8_t> data);
  CallReader(const CallReader&) = delete;
  CallReader& operator=(const CallReader&) = delete;

  const std::string& type() const { return type_; }
  // A wrong field is found by settle().
  SpecReader& fields() { return fields_; }
  std::span<const uint8_t> data() const { return data_; }
  // Once all fields are read. kUsage: one is wrong, missing or unknown, or there is data that nothing takes.
  Status settle(bool takes_data = false);

 private:
  std::string problem_;
  SpecReader fields_;
  const std::string type_;
  const std::span<const uint8_t> data_;
};

}  // namespace patina
