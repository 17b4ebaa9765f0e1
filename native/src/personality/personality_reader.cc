// A recursive descent parser. The variables are read first, then all statements.
#include "personality/personality_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "personality/file_set_definition.h"
#include "personality/missing_attribute.h"
#include "personality/random_variable.h"
#include "personality/statement_cursor.h"
#include "personality/token.h"

namespace patina {
namespace {

constexpr uint32_t kMaxThreads = 10'000;
constexpr int kMaxDepth = 16;  // of groups in groups
// Of all threads together: each has its own figures, of 17 KB.
constexpr uint64_t kMaxOperations = 100'000;
constexpr double kMaxRunS = 1e8;
constexpr double kMostValue = 0x1p62;

// A group of operations under a name, kept as tokens: its variables have other values in each use.
struct GroupDefinition {
  std::vector<std::string> parameters;
  Scope defaults;
  Number iterations = Number::of(1);  // where a use has none
  size_t body = 0;                    // index of the token after its brace
};

constexpr std::string_view kProcessWords[] = {"name", "instances", "nice"};
constexpr std::string_view kThreadWords[] = {"name", "instances", "memsize", "useism", "ioprio", "procname"};
constexpr std::string_view kFlowWords[] = {"name",   "filesetname", "filename",  "fd",          "srcfd",
                                           "iosize", "workingset",  "wss",       "iters",       "random",
                                           "dsync",  "directio",    "opennext",  "rotatefd",    "indexed",
                                           "value",  "target",      "highwater", "noreadahead", "blocking"};
constexpr std::string_view kRateWords[] = {"rate"};
constexpr std::string_view kStatements[] = {"create", "debug",  "define", "echo",   "enable",   "eventgen",
                                            "psrun",  "quit",   "run",    "set",    "shutdown", "sleep",
                                            "stats",  "system", "usage",  "version"};

class Reader {
 public:
  Reader(std::vector<Token> tokens, const std::string& file, const VariableOverrides& overrides)
      : cursor_(std::move(tokens), file), overrides_(overrides) {}

  // An attribute has the last value that the file sets, also below it: the variables are read first.
  Result<Personality> run() {
    while (!cursor_.failed() && cursor_.peek().kind != TokenKind::kEnd) read_variable();
    cursor_.final_globals = std::move(cursor_.globals);
    cursor_.globals.clear();
    cursor_.go_to(0);
    while (!cursor_.failed() && cursor_.peek().kind != TokenKind::kEnd) statement();
    if (!cursor_.failed() && made_.processes.empty())
      cursor_.fail(cursor_.peek().place, "no process is defined, so there is nothing to run");
    if (!cursor_.failed()) check_targets();
    if (cursor_.failed()) return cursor_.error();
    return std::move(made_);
  }

 private:
  // Reads a statement that sets a variable, or skips a token.
  void read_variable() {
    const Token word = cursor_.take();
    if (word.kind != TokenKind::kWord) return;
    if (word.text == "set" && cursor_.peek().kind == TokenKind::kVariable) set();
    if (word.text == "define" && cursor_.is_word("randvar")) define();
  }

  void statement() {
    const Token word = cursor_.take();
    if (word.kind != TokenKind::kWord) {
      cursor_.fail(word.place, fmt::format("expected a statement, not {}", StatementCursor::shown(word)));
    } else if (word.text == "set") {
      set();
    } else if (word.text == "define") {
      define();
    } else if (word.text == "run") {
      if (starts_value()) made_.run_s = run_time("run");
    } else if (word.text == "psrun") {
      psrun();
    } else if (word.text == "eventgen") {
      made_.events_per_s =
          cursor_.number(cursor_.attributes(kRateWords, "eventgen"), {"rate"}, Number::of(0));
    } else if (std::find(std::begin(kStatements), std::end(kStatements), word.text) !=
               std::end(kStatements)) {
      ignore(word);
    } else {
      cursor_.fail(word.place, fmt::format("unknown statement '{}'; the statements are {}", word.text,
                                           listed(kStatements)));
    }
  }

  bool starts_value() const {
    return cursor_.peek().kind == TokenKind::kNumber || cursor_.peek().kind == TokenKind::kVariable;
  }

  double run_time(std::string_view statement) {
    const Place place = cursor_.peek().place;
    const double seconds = cursor_.constant_of(cursor_.value(), statement);
    if (!cursor_.failed() && (seconds < 0 || seconds > kMaxRunS))
      cursor_.fail(place, fmt::format("{} needs seconds from 0 to {}, not {}", statement, kMaxRunS, seconds));
    return seconds;
  }

  // psrun [PERIOD [SECONDS]]: the period of reports has no effect here.
  void psrun() {
    if (!starts_value()) return;
    cursor_.constant_of(cursor_.value(), "psrun");
    if (!starts_value()) return;
    const double seconds = run_time("psrun");
    if (seconds > 0) made_.run_s = seconds;
  }

  // Skips a statement that only prints, or that prepares what is prepared here anyway.
  void ignore(const Token& word) {
    while (cursor_.peek().kind != TokenKind::kEnd && cursor_.peek().place.line == word.place.line)
      cursor_.take();
    made_.ignored.push_back(fmt::format("{} at {}:{}", word.text, word.place.line, word.place.column));
  }

  void set() {
    if (cursor_.is_word("mode")) {
      cursor_.take();
      set_mode();
      return;
    }
    const Token name = cursor_.take();
    if (name.kind != TokenKind::kVariable) {
      cursor_.fail(name.place,
                   fmt::format("expected a variable after 'set', not {}", StatementCursor::shown(name)));
      return;
    }
    cursor_.expect("=", fmt::format("'set ${}'", name.text));
    if (cursor_.failed()) return;
    cursor_.is_setting = true;
    Value value;
    value.place = cursor_.peek().place;
    if (cursor_.is_word("randvar") || cursor_.is_word("cvar")) {
      const bool is_custom = cursor_.take().text == "cvar";
      cursor_.expect("(", is_custom ? "'cvar'" : "'randvar'");
      value.number = is_custom ? read_custom_variable(cursor_) : read_random_variable(cursor_, nullptr);
      cursor_.expect(")", "the variable's attributes");
    } else {
      value = operation_on(cursor_.value());
    }
    cursor_.is_setting = false;
    if (const auto override = overrides_.find(name.text); override != overrides_.end()) {
      value.number = Number::of(override->second);
    }
    cursor_.globals[name.text] = value;
  }

  // Returns `left`, or the result of `left OPERATOR VALUE` in whole numbers.
  Value operation_on(Value left) {
    const TokenKind kind = cursor_.peek().kind;
    const std::string sign = cursor_.peek().text;
    if ((kind != TokenKind::kSign && kind != TokenKind::kWord) ||
        (sign != "+" && sign != "-" && sign != "*" && sign != "/"))
      return left;
    const Place place = cursor_.take().place;
    const Value right = cursor_.value();
    const double a = cursor_.constant_of(left, "an operation");
    const double b = cursor_.constant_of(right, "an operation");
    if (!cursor_.failed() && sign == "/" && b == 0) cursor_.fail(place, "a division by 0");
    const double quotient = b == 0 ? 0 : std::trunc(a / b);
    const double result = sign == "+" ? a + b : sign == "-" ? a - b : sign == "*" ? a * b : quotient;
    if (!(std::abs(result) <= kMostValue)) cursor_.fail(place, "the result is out of range");
    Value value;
    value.place = left.place;
    value.number = Number::of(result);
    return value;
  }

  void set_mode() {
    const Token word = cursor_.take();
    if (word.text == "nousestats") return;
    const Token mode = cursor_.take();
    if (word.text != "quit") {
      cursor_.fail(word.place, fmt::format("unknown mode '{}'; the modes are nousestats, quit", word.text));
    } else if (mode.text == "firstdone") {
      made_.end_mode = EndMode::kFirstDone;
    } else if (mode.text == "alldone") {
      made_.end_mode = EndMode::kAllDone;
    } else if (mode.text == "timeout") {
      made_.end_mode = EndMode::kTimeout;
    } else {
      cursor_.fail(mode.place,
                   fmt::format("unknown end '{}'; the ends are alldone, firstdone, timeout", mode.text));
    }
  }

  void define() {
    const Token what = cursor_.take();
    if (what.text == "fileset" || what.text == "file") {
      define_file_set(what);
    } else if (what.text == "process") {
      define_process(what);
    } else if (what.text == "flowop") {
      define_group(what);
    } else if (what.text == "randvar") {
      std::string name;
      Value value;
      value.place = what.place;
      value.number = read_random_variable(cursor_, &name);
      if (!cursor_.failed()) cursor_.globals[name] = value;
    } else {
      cursor_.fail(what.place,
                   fmt::format("cannot define {}; only file, fileset, flowop, process and randvar",
                               StatementCursor::shown(what)));
    }
  }

  void define_file_set(const Token& what) {
    FileSetSpec set = read_file_set(cursor_, what);
    if (cursor_.failed()) return;
    entries_count_ += std::max(set.files_count.expected(), 0.0);
    entries_count_ += std::max(set.leaf_directories_count.expected(), 0.0);
    if (entries_count_ > kMaxEntries) {
      cursor_.fail(what.place, fmt::format("with {} {} there are more than {:.0f} files and directories",
                                           what.text, set.name, kMaxEntries));
    }
    for (const FileSetSpec& other : made_.file_sets) {
      if (!cursor_.failed() && other.name == set.name)
        cursor_.fail(what.place, fmt::format("{} '{}' is defined twice", what.text, set.name));
    }
    made_.file_sets.push_back(std::move(set));
  }

  void define_process(const Token& what) {
    const Attributes given = cursor_.attributes(kProcessWords, "process");
    ProcessSpec process;
    process.name = cursor_.required_name(given, "process", what.place);
    process.instances_count = instances(given);
    cursor_.expect("{", "the attributes of process");
    while (!cursor_.failed() && !cursor_.accept("}")) {
      const Token word = cursor_.take();
      if (word.text != "thread") {
        cursor_.fail(word.place, fmt::format("expected 'thread' or '}}' in process {}, not {}", process.name,
                                             StatementCursor::shown(word)));
        return;
      }
      process.threads.push_back(thread(word, process.instances_count));
    }
    if (!cursor_.failed() && process.threads.empty())
      cursor_.fail(what.place, fmt::format("process {} has no thread", process.name));
    made_.processes.push_back(std::move(process));
    if (!cursor_.failed() && made_.threads_count() > kMaxThreads) {
      cursor_.fail(what.place, fmt::format("more than {} threads", kMaxThreads));
    }
  }

  uint32_t instances(const Attributes& given) {
    return static_cast<uint32_t>(cursor_.constant(given, {"instances"}, 1, 1, kMaxThreads));
  }

  ThreadSpec thread(const Token& word, uint32_t processes_count) {
    const Attributes given = cursor_.attributes(kThreadWords, "thread");
    ThreadSpec thread;
    thread.name = cursor_.required_name(given, "thread", word.place);
    thread.instances_count = instances(given);
    threads_of_operation_ = uint64_t{processes_count} * thread.instances_count;
    thread.flow = flow(fmt::format("thread {}", thread.name), 0);
    if (!cursor_.failed() && thread.flow.empty())
      cursor_.fail(word.place, fmt::format("thread {} has no operation", thread.name));
    return thread;
  }

  // { flowop KIND ATTRIBUTES ... }
  std::vector<FlowSpec> flow(const std::string& of, int depth) {
    std::vector<FlowSpec> operations;
    cursor_.expect("{", fmt::format("the attributes of {}", of));
    while (!cursor_.failed() && !cursor_.accept("}")) {
      const Token word = cursor_.take();
      if (word.text != "flowop") {
        cursor_.fail(word.place, fmt::format("expected 'flowop' or '}}' in {}, not {}", of,
                                             StatementCursor::shown(word)));
        break;
      }
      operations.push_back(operation(depth));
    }
    return operations;
  }

  FlowSpec operation(int depth) {
    const Token kind = cursor_.take();
    FlowSpec spec;
    operations_count_ += threads_of_operation_;
    if (operations_count_ > kMaxOperations) {
      cursor_.fail(kind.place,
                   fmt::format("more than {} operations in all threads together", kMaxOperations));
      return spec;
    }
    if (const auto group = groups_.find(kind.text); group != groups_.end())
      return use_of(group->second, kind, depth);
    bool is_known = false;
    for (int i = 0; i < static_cast<int>(FlowKind::kGroup); ++i) {
      if (kind.text != flow_kind_name(static_cast<FlowKind>(i))) continue;
      spec.kind = static_cast<FlowKind>(i);
      is_known = true;
    }
    if (!is_known) {
      cursor_.fail(kind.place, fmt::format("unknown operation '{}'", kind.text));
      return spec;
    }
    const Attributes given = cursor_.attributes(kFlowWords, fmt::format("flowop {}", kind.text));
    spec.name = StatementCursor::find(given, {"name"}) == nullptr ? kind.text : cursor_.text(given, {"name"});
    spec.file_set = file_set(given, kind);
    spec.fd = static_cast<int>(cursor_.constant(given, {"fd"}, 0, 0, kFlowSlots - 1));
    spec.source_fd = static_cast<int>(cursor_.constant(given, {"srcfd"}, 0, 0, kFlowSlots - 1));
    spec.io_bytes = cursor_.number(given, {"iosize"}, Number::of(0));
    spec.working_set_bytes = cursor_.number(given, {"workingset", "wss"}, Number::of(0));
    spec.iterations = cursor_.number(given, {"iters"}, Number::of(1));
    spec.value = cursor_.number(given, {"value"}, Number::of(0));
    spec.high_water = cursor_.number(given, {"highwater"}, Number::of(1));
    if (StatementCursor::find(given, {"indexed"}) != nullptr)
      spec.index = cursor_.number(given, {"indexed"}, {});
    spec.random = cursor_.flag(given, {"random"});
    spec.data_sync = cursor_.flag(given, {"dsync"});
    spec.direct = cursor_.flag(given, {"directio"});
    spec.no_read_ahead = cursor_.flag(given, {"noreadahead"});
    spec.open_next = cursor_.flag(given, {"opennext", "rotatefd"});
    spec.blocking = cursor_.flag(given, {"blocking"});
    spec.target = cursor_.text(given, {"target"});
    if (const std::string_view missing = missing_attribute(spec); !cursor_.failed() && !missing.empty())
      cursor_.fail(kind.place, fmt::format("flowop {} needs the attribute '{}'", kind.text, missing));
    if (!spec.target.empty()) targets_.emplace_back(spec.target, kind.place);
    names_.push_back(spec.name);
    return spec;
  }

  int file_set(const Attributes& given, const Token& kind) {
    const std::string name = cursor_.text(given, {"filesetname", "filename"});
    if (name.empty()) return -1;
    for (size_t i = 0; i < made_.file_sets.size(); ++i) {
      if (made_.file_sets[i].name == name) return static_cast<int>(i);
    }
    cursor_.fail(StatementCursor::find(given, {"filesetname", "filename"})->place,
                 fmt::format("flowop {}: no file set '{}' is defined before it", kind.text, name));
    return -1;
  }

  // define flowop name=NAME, $parameter, ... { flowop ... }
  void define_group(const Token& what) {
    Scope parameters;
    constexpr std::string_view kGroupWords[] = {"name", "iters"};
    const Attributes given = cursor_.attributes(kGroupWords, "flowop", &parameters);
    const std::string name = cursor_.required_name(given, "flowop", what.place);
    if (cursor_.failed()) return;
    GroupDefinition group;
    for (const auto& [parameter, value] : parameters) {
      group.parameters.push_back(parameter);
      if (value.is_given) group.defaults[parameter] = value;
    }
    group.iterations = cursor_.number(given, {"iters"}, Number::of(1));
    cursor_.expect("{", "the attributes of flowop");
    group.body = cursor_.position() - 1;
    skip_body();
    groups_[name] = std::move(group);
  }

  void skip_body() {
    const Place place = cursor_.peek().place;
    for (int depth = 1; depth > 0 && !cursor_.failed();) {
      const Token token = cursor_.take();
      if (token.kind == TokenKind::kEnd) cursor_.fail(place, "this block has no closing '}'");
      if (token.kind == TokenKind::kSign && token.text == "{") ++depth;
      if (token.kind == TokenKind::kSign && token.text == "}") --depth;
    }
  }

  FlowSpec use_of(const GroupDefinition& group, const Token& kind, int depth) {
    FlowSpec spec;
    Scope arguments = group.defaults;
    Scope given_arguments;
    const Attributes given =
        cursor_.attributes(kFlowWords, fmt::format("flowop {}", kind.text), &given_arguments);
    for (const auto& [name, value] : given_arguments) {
      if (std::find(group.parameters.begin(), group.parameters.end(), name) == group.parameters.end()) {
        cursor_.fail(value.place, fmt::format("flowop {} has no parameter '${}'", kind.text, name));
      }
      if (value.is_given) arguments[name] = value;
    }
    spec.name = StatementCursor::find(given, {"name"}) == nullptr ? kind.text : cursor_.text(given, {"name"});
    spec.iterations = cursor_.number(given, {"iters"}, group.iterations);
    if (std::find(open_groups_.begin(), open_groups_.end(), kind.text) != open_groups_.end())
      cursor_.fail(kind.place, fmt::format("flowop {} contains itself", kind.text));
    if (depth >= kMaxDepth)
      cursor_.fail(kind.place, fmt::format("flowop {} is more than {} flowops deep", kind.text, kMaxDepth));
    if (cursor_.failed()) return spec;
    const size_t after = cursor_.position();
    cursor_.go_to(group.body);
    cursor_.arguments.push_back(std::move(arguments));
    open_groups_.push_back(kind.text);
    spec.group = flow(fmt::format("flowop {}", kind.text), depth + 1);
    open_groups_.pop_back();
    cursor_.arguments.pop_back();
    cursor_.go_to(after);
    return spec;
  }

  void check_targets() {
    for (const auto& [target, place] : targets_) {
      if (std::find(names_.begin(), names_.end(), target) == names_.end()) {
        cursor_.fail(place, fmt::format("the target '{}' is not the name of an operation", target));
      }
    }
  }

  StatementCursor cursor_;
  const VariableOverrides& overrides_;
  std::map<std::string, GroupDefinition, std::less<>> groups_;
  std::vector<std::pair<std::string, Place>> targets_;
  std::vector<std::string> names_;
  std::vector<std::string> open_groups_;  // that contain the operation being read, the outermost first
  double entries_count_ = 0;
  uint64_t threads_of_operation_ = 0;  // that have the operation being read
  uint64_t operations_count_ = 0;      // of all threads
  Personality made_;
};

}  // namespace

Result<Personality> read_personality(std::string_view text, const std::string& file,
                                     const VariableOverrides& overrides) {
  Result<std::vector<Token>> tokens = tokens_of(text, file);
  if (!tokens) return tokens.error();
  return Reader(std::move(*tokens), file, overrides).run();
}

}  // namespace patina
