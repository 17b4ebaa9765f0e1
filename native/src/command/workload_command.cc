// The options of `workload`.
#include "command/commands.h"
#include "flow/workload_run.h"
#include "personality/builtin.h"

namespace patina {
namespace {

class WorkloadCommand final : public CommandWith<WorkloadRunOptions> {
 public:
  void add_options(OptionList& words) override {
    words
        .add("--spec", options.spec,
             "A file in Filebench's workload model language, or a built-in workload, as listed below")
        .required();
    words.add("--mount", options.mount, "Mount point of the file system; not needed with --describe");
    words
        .add("--seconds", options.seconds,
             "Time of the run; 0: until it is done. Default: that of the workload")
        .range(0.0, 1e8);
    words.add("--warm-up", options.warm_up_s, "Seconds before the measured time")
        .range(0.0, 1e8)
        .show_default();
    words.add("--seed", options.seed, "Seed of sizes, places and random choices").show_default();
    words.add("--files", options.files_count, "Number of files, in place of the workload's")
        .range(uint64_t{1}, uint64_t{50'000'000});
    words
        .add("--fit", options.fit_bytes,
             "Scale the files to take at most so many bytes. Default without --files: half of the free space")
        .in_bytes();
    words.add_choice("--only", options.stage,
                     "Only write the files, or only run over those that were written",
                     {{"allocate", WorkloadStage::kAllocate}, {"run", WorkloadStage::kRun}});
    for (const BuiltinPersonality& builtin : builtin_personalities()) names_.append(" ").append(builtin.name);
    words.footer(names_.c_str());
    words.add_flag("--describe", describe_, "Only describe the workload, as it would be scaled");
  }

  Status settle(const OptionList& /*words*/) override {
    if (describe_) options.stage = WorkloadStage::kDescribe;
    if (options.mount.empty() && !describe_) return Error{ErrorCode::kUsage, "--mount is required"};
    return ok_status();
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_workload(options, sink, switches.stop);
  }

 private:
  bool describe_ = false;
  std::string names_ = "Built in:";
};

}  // namespace

std::unique_ptr<Command> make_workload_command() {
  return std::make_unique<WorkloadCommand>();
}

}  // namespace patina
