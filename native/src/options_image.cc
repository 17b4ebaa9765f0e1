// Defines the options of capture, restore, verify, rollback, gc and diff.
#include "options_image.h"

#include <map>

#include "byte_size.h"

namespace patina {
namespace {

void add_threads(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "0: as many as cores")->check(CLI::Range(0, kMaxThreadsCount));
}

// What all that read an image have in common.
template <typename ReaderOptions>
void add_image(CLI::App& command, ReaderOptions& options) {
  command.add_option("--index", options.index_file, "The .caibx of the image")->required();
  command.add_option("--index-digest", options.index_digest, "SHA-256 that the index file must have, hex");
  add_threads(command, options.threads);
}

void add_capture(CLI::App& command, CaptureOptions& options) {
  command.add_option("--device", options.device, "Block device, or a regular file")->required();
  command.add_option("--store", options.store, "Folder of the chunk store; made when missing")->required();
  command.add_option("--index", options.index_file, "The .caibx to write")->required();
  command
      .add_option(
          "--mode", options.mode,
          "exact: every byte; allocated: what the file system uses, the rest reads as zero; metadata: "
          "the same, and the content of files reads as zero. The last two need an ext2, ext3, ext4, xfs or "
          "btrfs that was unmounted cleanly")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, CaptureMode>{{"exact", CaptureMode::kExact},
                                                                     {"allocated", CaptureMode::kAllocated},
                                                                     {"metadata", CaptureMode::kMetadata}}));
  command.add_option("--chunk-size", options.chunk_size_bytes, "Bytes of a chunk")
      ->transform(byte_size())
      ->capture_default_str();
  add_threads(command, options.threads);
}

void add_restore(CLI::App& command, RestoreOptions& options) {
  add_image(command, options);
  command.add_option("--store", options.store, "Folder of the chunk store")->required();
  command.add_option("--device", options.device, "Block device, or a regular file; overwritten")->required();
  command.add_option("--assume", options.assume,
                     "What the device is known to hold: the .caibx of another image, or `zero`. Only what "
                     "differs is written; all is verified");
}

void add_verify(CLI::App& command, VerifyOptions& options) {
  add_image(command, options);
  CLI::App* group = command.add_option_group("where", "What to compare with the image; one or both");
  group->add_option("--store", options.store, "Chunk store: has it every chunk, whole?");
  group->add_option("--device", options.device, "Block device, or a regular file: does it hold the image?");
  group->require_option(1, 2);
}

void add_rollback(CLI::App& command, RollbackOptions& options) {
  add_image(command, options);
  command.add_option("--store", options.store, "Folder of the chunk store")->required();
  command.add_option("--device", options.device, "The device that held the image; overwritten")->required();
  command.add_option("--delta", options.delta_file,
                     "What a trace saw change (`delta`). Without it, or when it is incomplete or the device "
                     "was written to since, everything is compared");
  command
      .add_option("--verify", options.verify_all,
                  "touched: what was rewritten is read back; full: everything")
      ->transform(CLI::CheckedTransformer(std::map<std::string, bool>{{"touched", false}, {"full", true}}));
}

void add_collect(CLI::App& command, CollectOptions& options) {
  command.add_option("--store", options.store, "Folder of the chunk store")->required();
  command.add_option("--keep", options.keep_file, "A list of .caibx files, one a line: what they name stays")
      ->required();
  command
      .add_option("--grace-seconds", options.grace_seconds,
                  "Chunks that were added or used again since stay too")
      ->capture_default_str();
  command.add_flag("--dry-run", options.dry_run, "Only count");
}

void add_diff(CLI::App& command, DiffOptions& options) {
  command.add_option("index", options.index_file, "The .caibx of an image")->required();
  command.add_option("other", options.other_index_file, "The .caibx of another")->required();
  command.add_option("--store", options.store, "Chunk store of both, for the stored sizes");
}

void add_trace(CLI::App& command, TraceOptions& options) {
  command.add_option("--device", options.device, "Block device; nobody may use it yet")->required();
  command.add_option("--out", options.trace_file, "The trace to write; not on that device")->required();
  command.add_option("--generation", options.generation,
                     "That the device has if nobody touched it since; otherwise the trace is incomplete");
  command.add_option("--source", options.source, "auto: the first that works")
      ->check(CLI::IsMember({"auto", "blktrace", "tracefs"}))
      ->capture_default_str();
  command
      .add_option("--buffer-kb", options.buffer_kb,
                  "Of the kernel, for each processor; 0: as many as are sensible")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 18U))
      ->capture_default_str();
  command.footer("The line `stop` on standard input ends it, once the device is unmounted.");
}

void add_delta(CLI::App& command, DeltaOptions& options) {
  command
      .add_option("--trace", options.trace_files,
                  "What trace wrote; or files of blktrace, of all processors; or what blkparse printed")
      ->required();
  command.add_option("--device-size", options.device_bytes, "Bytes of the device that was traced")
      ->required()
      ->check(CLI::Range(uint64_t{1}, uint64_t{INT64_MAX}))
      ->transform(byte_size());
  command
      .add_option("--partition-start", options.partition_start_sectors,
                  "Of a foreign trace: where on its disk the device begins, in sectors of 512 bytes")
      ->capture_default_str();
  command.add_option("--out", options.delta_file, "The delta to write")->required();
  command.add_flag("--assume-complete", options.assume_complete,
                   "Of a foreign trace: you saw that nothing was dropped, up to its end");
}

void add_generation(CLI::App& command, GenerationOptions& options) {
  command.add_option("--device", options.devices, "Block devices, or regular files")->required();
}

}  // namespace

void add_image_commands(CLI::App& app, std::string_view named, ImageOptions& options) {
  const auto add = [&](const char* name, const char* description, auto fill, auto& its_options) {
    CLI::App* command = app.add_subcommand(name, description);
    if (named == name) fill(*command, its_options);
  };
  add("capture", "Store a device as an image", add_capture, options.capture);
  add("restore", "Give an image back to a device", add_restore, options.restore);
  add("verify", "Compare an image with its chunks, or with a device", add_verify, options.verify);
  add("rollback", "Undo what a trial changed", add_rollback, options.rollback);
  add("gc", "Remove chunks that no image needs", add_collect, options.collect);
  add("diff", "Compare two images", add_diff, options.diff);
  add("trace", "Watch which blocks of a device are touched", add_trace, options.trace);
  add("delta", "List the blocks that a trace saw written", add_delta, options.delta);
  add("generation", "Print a mark that changes when a device is written to", add_generation,
      options.generation);
}

std::optional<Result<Options>> chosen_image_command(const CLI::App& app, const ImageOptions& options) {
  if (app.got_subcommand("capture")) return Options{options.capture};
  if (app.got_subcommand("restore")) return Options{options.restore};
  if (app.got_subcommand("verify")) return Options{options.verify};
  if (app.got_subcommand("rollback")) return Options{options.rollback};
  if (app.got_subcommand("gc")) return Options{options.collect};
  if (app.got_subcommand("diff")) return Options{options.diff};
  if (app.got_subcommand("trace")) return Options{options.trace};
  if (app.got_subcommand("delta")) return Options{options.delta};
  if (app.got_subcommand("generation")) return Options{options.generation};
  return std::nullopt;
}

}  // namespace patina
