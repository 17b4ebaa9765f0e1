// Requests on the control socket that decide which held data is of chosen paths.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "emulate/emulated_disk.h"

namespace patina {

// Answers {"type":"begin_round"} and {"type":"choose","round":N,"ranges":[[first_byte,length_bytes],...]}
// with
// {"type":"round","round":N,"missing_bytes":...}: of the ranges, bytes that are dropped already; and
// {"type":"end_round","round":N} with the same. Or an error.
nlohmann::ordered_json answer_round(const nlohmann::ordered_json& request, EmulatedDisk& disk);

}  // namespace patina
