// Parses the command line. Makes the options of the named command only: making all takes longer than a part
// of a rollback.
#include "command/command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <string_view>

#include "age/age.h"
#include "command/age_request.h"

namespace patina {
namespace {

std::string footer() {
  std::string text =
      "\nReports on standard output, one JSON object a line, `type` first: `hello` comes first; `plan`, "
      "`scan`,\n"
      "`layout`, `summary` or `error` last. Log lines go to standard error.\n"
      "SIGTERM, SIGINT and the end of standard output stop a command;\n"
      "so does the end of the process that started it.\n\nExit codes:\n   0 done\n";
  for (const ErrorCodeRow& row : error_codes()) {
    text += fmt::format("  {:>2} {}: {}\n", static_cast<int>(row.code), row.name, row.meaning);
  }
  return text;
}

// Of the group, or empty; and of the command in it.
std::pair<std::string, std::string> group_and_name(const CommandRow& row) {
  const std::string name = row.name;
  const size_t space = name.find(' ');
  if (space == std::string::npos) return {"", name};
  return {name.substr(0, space), name.substr(space + 1)};
}

CLI::App* add_subcommand(CLI::App& app, const CommandRow& row) {
  const auto [group, name] = group_and_name(row);
  if (group.empty()) return app.add_subcommand(name, row.description);
  const std::vector<CLI::App*> same =
      app.get_subcommands([&group = group](const CLI::App* other) { return other->get_name() == group; });
  CLI::App* in_group =
      same.empty() ? app.add_subcommand(group, "A group of commands, with a --help") : same.front();
  return in_group->require_subcommand(1)->add_subcommand(name, row.description);
}

bool is_named(const CommandRow& row, int argc, const char* const* argv) {
  const auto [group, name] = group_and_name(row);
  const int at = group.empty() ? 1 : 2;
  return argc > at && argv[at] == name && (group.empty() || argv[1] == group);
}

Result<CommandLine> parse_words(int argc, const char* const* argv) {
  CLI::App app("Ages file systems, measures them, and keeps their images.", "patina-core");
  app.set_version_flag("--version", std::string("patina-core ") + PATINA_VERSION);
  app.footer(footer);
  app.require_subcommand(1);
  CommandLine found;
  CLI::App* words = nullptr;
  for (const CommandRow& row : commands()) {
    CLI::App* subcommand = add_subcommand(app, row);
    if (is_named(row, argc, argv)) {
      found.row = &row;
      found.command = row.make();
      OptionList options(*subcommand);
      found.command->add_options(options);
      words = subcommand;
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return CommandLine{nullptr, nullptr, words != nullptr ? words->help() : app.help()};
  } catch (const CLI::CallForVersion&) {
    return CommandLine{nullptr, nullptr, app.version() + "\n"};
  } catch (const CLI::ParseError& error) {
    return Error{ErrorCode::kUsage, error.what()};
  }
  if (words == nullptr) return Error{ErrorCode::kUsage, "give the command first"};
  if (const Status settled = found.command->settle(OptionList(*words)); !settled) return settled.error();
  return found;
}

// Parses again, with the words of the request.
Result<CommandLine> parse_request(const char* program, const char* file) {
  const Result<AgeRequest> request = read_age_request(file);
  if (!request) return request.error();
  std::vector<const char*> argv = {program, "age"};
  for (const std::string& word : request->words) argv.push_back(word.c_str());
  Result<CommandLine> parsed = parse_words(static_cast<int>(argv.size()), argv.data());
  if (!parsed) return parsed;
  auto* age = dynamic_cast<CommandWith<AgeOptions>*>(parsed->command.get());
  if (age != nullptr) age->options.forecast.profile_document = request->profile_document;
  return parsed;
}

}  // namespace

Result<CommandLine> parse_command_line(int argc, const char* const* argv) {
  // CLI11 2.1 takes an empty word for the name of an unnamed option group, and loops forever.
  for (int i = 1; i < argc; ++i) {
    if (*argv[i] == '\0') return Error{ErrorCode::kUsage, fmt::format("argument {} is empty", i)};
  }
  if (argc == 4 && argv[1] == std::string_view("age") && argv[2] == std::string_view("--request")) {
    return parse_request(argv[0], argv[3]);
  }
  return parse_words(argc, argv);
}

}  // namespace patina
