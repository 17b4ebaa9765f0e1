// The command line of patina-core.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "command/commands.h"

namespace patina {

struct CommandLine {
  const CommandRow* row = nullptr;
  std::unique_ptr<Command> command;  // with its options; null: only `text` was requested
  std::string text;                  // the output of --help and --version
};

// Parses the command line. Error: kUsage.
Result<CommandLine> parse_command_line(int argc, const char* const* argv);

}  // namespace patina
