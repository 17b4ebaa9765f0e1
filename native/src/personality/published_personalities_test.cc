// The constructs of the personalities that Filebench publishes: native/personalities/published.json lists
// those of each. A text with the same constructs, and names and values of its own, is read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "personality/personality_reader.h"
#include "testing/test_places.h"

namespace patina {
namespace {

using Json = nlohmann::json;
using Counts = std::map<std::string, uint64_t>;

constexpr uint64_t kProcesses = 2;  // instances by number
constexpr uint64_t kThreads = 3;    // instances by variable

std::vector<Json> published() {
  std::ifstream in(std::string(kCheckoutFolder) + "/native/personalities/published.json");
  const Json all = Json::parse(in);
  return {all.begin(), all.end()};
}

uint64_t times_of(const Json& construct) {
  return construct.value("times", uint64_t{1});
}

bool is_group(const std::string& kind) {
  return kind.starts_with("group ");
}

size_t group_of(const std::string& kind) {
  return std::stoul(kind.substr(6));
}

// Writes a text with the constructs, and counts what it should mean.
class Writer {
 public:
  explicit Writer(const Json& facts) : facts_(facts) {
    for (const Json& variable : facts["variables"]) set_variable(variable);
    for (const Json& set : facts["file_sets"]) define_file_sets(set);
    for (size_t i = 0; i < groups().size(); ++i) define_group(i);
    for (const Json& process : facts["processes"]) define_processes(process);
    for (const Json& statement : facts["statements"]) state(statement);
  }

  std::string text;
  uint64_t sets_count = 0;
  uint64_t single_files_count = 0;
  uint64_t processes_count = 0;
  uint64_t threads_count = 0;
  Counts operations;  // by kind, of each thread once

 private:
  const Json& groups() const {
    static const Json none = Json::array();
    return facts_.contains("groups") ? facts_["groups"] : none;
  }

  static std::string attributes_of_random(const std::string& words) {
    std::string attributes;
    const auto has = [&words](const char* word) { return words.find(word) != std::string::npos; };
    if (has(" tabular")) attributes += ",type=tabular";
    if (has("gamma ") || has(" gamma")) attributes += ",type=gamma";
    if (words.find("gamma", words.find("gamma") + 1) != std::string::npos) attributes += ",gamma=1500";
    if (has(" mean")) attributes += ",mean=4k";
    if (has(" min")) attributes += ",min=1k";
    if (has(" round")) attributes += ",round=1k";
    if (has(" table")) attributes += ",randtable={{0,1k,2k},{40,1k,3k},{60,3k,8k}}";
    return attributes.substr(1);
  }

  void set_variable(const std::string& kind) {
    if (kind == "set number") {
      text += "set $amount=4\nset $threads=3\n";
    } else if (kind == "set word") {
      text += "set $place=/somewhere/else\nset $chosen=set1\n";
    } else if (kind == "set truth") {
      text += "set $truth=false\n";
    } else if (kind == "set variable") {
      text += "set $copy=$amount\n";
    } else if (kind == "set operation") {
      text += "set $product=$amount * 5\n";
    } else if (kind.starts_with("set cvar ")) {
      const bool is_gamma = kind.ends_with("gamma");
      text += fmt::format("set $random=cvar(type={},parameters={})\n", kind.substr(9),
                          is_gamma ? "mean:4096;gamma:1.5" : "lower:1024;upper:2048");
    } else if (kind.starts_with("set randvar")) {
      text += fmt::format("set $random=randvar({})\n", attributes_of_random(kind.substr(11)));
    } else if (kind.starts_with("define randvar")) {
      text += fmt::format("define randvar name=$random,{}\n", attributes_of_random(kind.substr(14)));
    } else {
      ADD_FAILURE() << "unknown kind of variable: " << kind;
    }
    has_random_ = has_random_ || kind.find("var ") != std::string::npos;
    has_truth_ = has_truth_ || kind == "set truth";
  }

  std::string variable_for(const std::string& attribute) const {
    static const std::vector<std::string> flags = {"cached", "reuse", "dsync", "directio"};
    static const std::vector<std::string> random = {"size", "iosize", "indexed"};
    if (attribute == "filesetname" || attribute == "filename") return "$chosen";
    if (attribute == "instances") return "$threads";
    if (has_truth_ && std::find(flags.begin(), flags.end(), attribute) != flags.end()) return "$truth";
    if (has_random_ && std::find(random.begin(), random.end(), attribute) != random.end()) return "$random";
    return "$amount";
  }

  static std::string number_for(const std::string& attribute) {
    if (attribute == "instances") return std::to_string(kProcesses);
    if (attribute == "prealloc") return "80";
    return attribute == "memsize" ? "10m" : "2";
  }

  static bool names_a_set(const std::string& attribute) {
    return attribute == "filesetname" || attribute == "filename";
  }

  // `parameters_count`: of the group that contains it. The first names a file set, the last is a number.
  std::string attributes(const Json& given, size_t parameters_count = 0) const {
    std::string words;
    for (const auto& [attribute, kind] : given.items()) {
      words += "," + attribute;
      if (kind == "number") words += "=" + number_for(attribute);
      if (kind == "variable") words += "=" + variable_for(attribute);
      if (kind == "truth") words += "=true";
      if (kind == "word") words += names_a_set(attribute) ? "=set1" : "=op1";
      if (kind == "argument")
        words += names_a_set(attribute) ? "=$par0" : fmt::format("=$par{}", parameters_count - 1);
    }
    return words;
  }

  void define_file_sets(const Json& set) {
    for (uint64_t i = 0; i < times_of(set); ++i) {
      ++sets_count;
      if (set["kind"] == "file") ++single_files_count;
      text += fmt::format("define {} name=set{},path=$place{}\n", set["kind"].get<std::string>(), sets_count,
                          attributes(set["attributes"]));
    }
  }

  bool first_names_a_set(size_t group) const {
    for (const Json& operation : groups()[group]["flow"]) {
      if (!operation.contains("attributes")) continue;
      for (const auto& [attribute, kind] : operation["attributes"].items()) {
        if (kind == "argument" && names_a_set(attribute)) return true;
      }
    }
    return false;
  }

  std::string argument(size_t group, size_t i) const {
    return fmt::format(",$par{}={}", i, i == 0 && first_names_a_set(group) ? "set1" : "2");
  }

  void define_group(size_t group) {
    const auto count = groups()[group].value("parameters", size_t{0});
    text += fmt::format("define flowop name=group{}", group);
    for (size_t i = 0; i < count; ++i) text += argument(group, i);
    text += "\n{\n";
    write_flow(groups()[group]["flow"], count);
    text += "}\n";
  }

  void write_flow(const Json& flow, size_t parameters_count) {
    for (const Json& operation : flow) {
      const auto kind = operation["kind"].get<std::string>();
      for (uint64_t i = 0; i < times_of(operation); ++i) {
        text +=
            fmt::format("  flowop {} name=op{}{}",
                        is_group(kind) ? fmt::format("group{}", group_of(kind)) : kind, ++operations_written_,
                        attributes(operation.value("attributes", Json::object()), parameters_count));
        for (size_t j = 0; j < operation.value("arguments", size_t{0}); ++j)
          text += argument(group_of(kind), j);
        text += "\n";
      }
    }
  }

  void count_flow(const Json& flow) {
    for (const Json& operation : flow) {
      const auto kind = operation["kind"].get<std::string>();
      for (uint64_t i = 0; i < times_of(operation); ++i) {
        if (is_group(kind)) {
          count_flow(groups()[group_of(kind)]["flow"]);
        } else {
          ++operations[kind];
        }
      }
    }
  }

  static uint64_t instances_of(const Json& construct) {
    const Json given = construct.value("attributes", Json::object());
    if (!given.contains("instances")) return 1;
    return given["instances"] == "number" ? kProcesses : kThreads;
  }

  void define_processes(const Json& process) {
    for (uint64_t i = 0; i < times_of(process); ++i) {
      text += fmt::format("define process name=process{}{}\n{{\n", ++processes_count,
                          attributes(process.value("attributes", Json::object())));
      for (const Json& thread : process["threads"]) {
        for (uint64_t j = 0; j < times_of(thread); ++j) {
          text += fmt::format(" thread name=thread{}{}\n {{\n", j,
                              attributes(thread.value("attributes", Json::object())));
          write_flow(thread["flow"], 0);
          count_flow(thread["flow"]);
          text += " }\n";
          threads_count += instances_of(process) * instances_of(thread);
        }
      }
      text += "}\n";
    }
  }

  void state(const std::string& statement) {
    if (statement == "echo" || statement == "usage") {
      text += statement + " \"some words of $place\"\n";
    } else if (statement == "eventgen") {
      text += "eventgen rate=$amount\n";
    } else if (statement == "run number") {
      text += "run 30\n";
    } else if (statement == "run variable") {
      text += "run $threads\n";
    } else if (statement == "debug number") {
      text += "debug 1\n";
    } else {
      text += statement + "\n";
    }
  }

  const Json& facts_;
  uint64_t operations_written_ = 0;
  bool has_random_ = false;
  bool has_truth_ = false;
};

void count_operations(const std::vector<FlowSpec>& flow, Counts& counts) {
  for (const FlowSpec& spec : flow) {
    if (spec.kind == FlowKind::kGroup) {
      count_operations(spec.group, counts);
    } else {
      ++counts[flow_kind_name(spec.kind)];
    }
  }
}

bool states(const Json& facts, const std::string& statement) {
  const Json& statements = facts["statements"];
  return std::find(statements.begin(), statements.end(), statement) != statements.end();
}

class PublishedPersonality : public testing::TestWithParam<Json> {};

TEST_P(PublishedPersonality, ItsConstructsAreRead) {
  const Writer written(GetParam());
  const Result<Personality> read = read_personality(written.text, "file.f");
  ASSERT_TRUE(read.ok()) << read.error().message << "\n" << written.text;
  EXPECT_EQ(read->file_sets.size(), written.sets_count);
  const auto singles = std::count_if(read->file_sets.begin(), read->file_sets.end(),
                                     [](const FileSetSpec& set) { return set.is_single_file; });
  EXPECT_EQ(static_cast<uint64_t>(singles), written.single_files_count);
  EXPECT_EQ(read->processes.size(), written.processes_count);
  EXPECT_EQ(read->threads_count(), written.threads_count);
  Counts counts;
  for (const ProcessSpec& process : read->processes) {
    for (const ThreadSpec& thread : process.threads) count_operations(thread.flow, counts);
  }
  EXPECT_EQ(counts, written.operations) << written.text;
  EXPECT_EQ(read->end_mode == EndMode::kFirstDone, states(GetParam(), "set mode quit firstdone"));
  EXPECT_EQ(read->run_s, states(GetParam(), "run number") ? 30 : states(GetParam(), "run variable") ? 3 : 60);
  EXPECT_EQ(read->events_per_s.mean, states(GetParam(), "eventgen") ? 4 : 0);
}

std::string test_name(const Json& facts) {
  auto name = facts["name"].get<std::string>();
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, PublishedPersonality, testing::ValuesIn(published()),
                         [](const auto& facts) { return test_name(facts.param); });

TEST(PublishedPersonalities, AreAllThatFilebenchHas) {
  EXPECT_EQ(published().size(), 48U);
}

}  // namespace
}  // namespace patina
