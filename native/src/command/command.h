// Interface of all commands: options and action.
#pragma once

#include "base/event.h"
#include "base/result.h"
#include "command/option_list.h"
#include "executor/control.h"

namespace patina {

class Command {
 public:
  virtual ~Command() = default;
  virtual void add_options(OptionList& words) = 0;
  // Called once the words are read: checks and combines options that depend on each other. Error: kUsage.
  virtual Status settle(const OptionList& /*words*/) { return ok_status(); }
  virtual Status run(EventSink& sink, const Switches& switches) const = 0;
};

// A command whose options fill a struct.
template <typename Options>
class CommandWith : public Command {
 public:
  Options options;
};

}  // namespace patina
