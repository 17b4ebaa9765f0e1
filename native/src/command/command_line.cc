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

Result<CommandLine> parse_words(int argc, const char* const* argv) {
  CLI::App app("Ages file systems, measures them, and keeps their images.", "patina-core");
  app.set_version_flag("--version", std::string("patina-core ") + PATINA_VERSION);
  app.footer(footer);
  app.require_subcommand(1);
  CommandLine found;
  CLI::App* words = nullptr;
  for (const CommandRow& row : commands()) {
    CLI::App* subcommand = app.add_subcommand(row.name, row.description);
    if (argc > 1 && argv[1] == std::string_view(row.name)) {
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
