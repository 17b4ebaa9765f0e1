// Requests on the control socket that decide which held data is of chosen paths.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "emulate/emulated_disk.h"

namespace patina {

// Answers {"type":"begin_selection"} and
// {"type":"choose","selection":N,"ranges":[[first_byte,length_bytes],...]} with
// {"type":"selection","selection":N,"missing_bytes":...}: of the ranges, bytes that are dropped already; and
// {"type":"end_selection","selection":N} with the same. Or an error.
nlohmann::ordered_json answer_selection(const nlohmann::ordered_json& request, EmulatedDisk& disk);

}  // namespace patina
