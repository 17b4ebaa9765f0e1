// blkparse's default format: major,minor processor sequence time pid action letters, then "sector + sectors
// [program]".
#include "trace/blkparse_text.h"

#include <charconv>

namespace patina {
namespace {

// Takes a word from the front; empty when there is none.
std::string_view next_word(std::string_view& text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

template <typename Number>
bool parse_number(std::string_view word, Number& out) {
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), out);
  return !word.empty() && parsed.ec == std::errc() && parsed.ptr == word.data() + word.size();
}

// Reports whether a word is two numbers with `between` in between: "8,16", "0.000012".
bool is_pair(std::string_view word, char between) {
  const size_t middle = word.find(between);
  uint64_t number = 0;
  return middle != std::string_view::npos && parse_number(word.substr(0, middle), number) &&
         parse_number(word.substr(middle + 1), number);
}

bool is_action(std::string_view word) {
  constexpr std::string_view kActions = "ABCDFGIMPQRSTUXm";
  return (word.size() == 1 && kActions.find(word.front()) != std::string_view::npos) || word == "UT";
}

// Parses the fields after the letters. False: not blkparse's default format.
bool parse_place(std::string_view rest, BlockEvent& event) {
  const std::string_view first = next_word(rest);
  // No sectors: "[program]", or a passed-through command's bytes "(12 00 ..)" when it is done.
  if (first.empty() || first.front() == '[' || first.front() == '(') return true;
  uint64_t number = 0;
  if (!parse_number(first, number)) return false;
  const std::string_view sign = next_word(rest);
  const std::string_view second = next_word(rest);
  uint64_t sectors_count = 0;
  if (sign == "+") {
    if (!parse_number(second, sectors_count) || sectors_count > UINT32_MAX) return false;
    event.begin_sector = number;
    event.bytes = sectors_count * kSectorBytes;
    return true;
  }
  // A split gives the sector; the event that is split gives the length.
  if (sign == "/") return parse_number(second, sectors_count);
  // A passed-through command has a length and no sector.
  if (!sign.empty() && sign.front() != '[' && sign.front() != '(') return false;
  event.bytes = number;
  event.has_no_place = true;
  return true;
}

// "CPU0 (8,16):", "Total (8,16):" begin the summary at the end.
bool begins_summary(std::string_view line) {
  const bool headed = line.starts_with("CPU") || line.starts_with("Total (");
  return headed && line.ends_with("):");
}

}  // namespace

bool BlkparseText::take(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (line.find_first_not_of(' ') == std::string_view::npos || line.starts_with("Input file ")) return true;
  if (begins_summary(line)) in_summary_ = true;
  if (in_summary_) {
    // blkparse's own count of missed events.
    if (line.starts_with("Skips: ") && !line.starts_with("Skips: 0 ")) tally_.doubt("sequence_gap");
    return true;
  }
  std::string_view rest = line;
  const std::string_view device = next_word(rest);
  uint32_t cpu = 0;
  uint32_t sequence = 0;
  uint32_t pid = 0;
  const bool headed = is_pair(device, ',') && parse_number(next_word(rest), cpu) &&
                      parse_number(next_word(rest), sequence) && is_pair(next_word(rest), '.') &&
                      parse_number(next_word(rest), pid);
  const std::string_view action = headed ? next_word(rest) : std::string_view();
  if (!is_action(action)) return false;
  if (action == "m") return true;  // a message, which has no number of its own
  // A remap prints the device that it comes from, so the processor alone identifies the sequence.
  tally_.check_sequence(cpu, 0, sequence);
  const std::string_view letters = next_word(rest);
  BlockEvent event;
  event.reads_only = letters_read_only(letters);
  const bool plugs = action == "P" || action == "U" || action == "UT" || action == "T";
  if (!plugs && (letters.empty() || !parse_place(rest, event))) return false;
  tally_.count(event);
  return true;
}

}  // namespace patina
