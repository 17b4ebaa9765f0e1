// A device that holds an image, a trace of its writes, and a rollback, for the tests of trials.
#pragma once

#include <memory>
#include <string>

#include "base/digest.h"
#include "image/delta.h"
#include "testing/image_testing.h"
#include "testing/trace_testing.h"

namespace patina {

inline std::string sha256_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string buffer(size_t{1} << 20U, '\0');
  Sha256 sha;
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), in.gcount() > 0) {
    sha.update(buffer.data(), static_cast<size_t>(in.gcount()));
  }
  return sha.hex();
}

class TrialTesting : public ImageTest {
 protected:
  // Captures the device and restores the image to it.
  void hold_image(const std::string& device, CaptureMode mode) {
    device_ = device;
    ASSERT_TRUE(capture(device, kDefaultChunkSizeBytes, mode).ok());
    ASSERT_TRUE(restore(device).ok());
    learn_end();
    digest_ = sha256_of(device);
  }

  // Reads the generation of the device after the last command.
  void learn_end() {
    generation_ = sink_.last()["generation"].get<std::string>();
    device_bytes_ = figure("device_bytes");
  }

  std::unique_ptr<RunningTrace> arm() {
    auto trace = std::make_unique<RunningTrace>(
        TraceOptions{.device = device_, .trace_file = trace_file_, .generation = generation_});
    EXPECT_TRUE(trace->armed()) << trace->end().error().message;
    return trace;
  }

  // Makes a delta of the trace file as it is.
  Status make_delta() {
    sink_.events.clear();
    return run_delta({.trace_files = {trace_file_}, .device_bytes = device_bytes_, .delta_file = delta_file_},
                     sink_);
  }

  Status rollback(const std::string& delta_file) {
    sink_.events.clear();
    return run_rollback(
        {.index_file = index_, .store = store_, .device = device_, .delta_file = delta_file, .threads = 3},
        sink_, stop_);
  }

  // Checks that a rollback undoes all changes since the image was on the device. `full_reason`: why
  // everything had to be compared; null when the delta sufficed.
  void expect_comes_back(const std::string& delta_file, const nlohmann::ordered_json& full_reason) {
    const Status status = rollback(delta_file);
    ASSERT_TRUE(status.ok()) << status.error().message;
    EXPECT_EQ(sha256_of(device_), digest_);
    EXPECT_GT(figure("touched_bytes"), 0U) << "nothing was done to it";
    EXPECT_EQ(sink_.last()["full_reason"], full_reason);
    EXPECT_EQ(sink_.last()["compared"], full_reason.is_null() ? "touched" : "full");
    learn_end();
  }

  // Runs a whole trial: arms, changes the device, disarms, rolls back by the delta.
  void expect_trial_comes_back(const char* what, const std::function<void()>& work) {
    SCOPED_TRACE(what);
    const std::unique_ptr<RunningTrace> trace = arm();
    work();
    const Status ended = trace->end();
    ASSERT_TRUE(ended.ok()) << ended.error().message;
    ASSERT_TRUE(make_delta().ok());
    const uint64_t touched_bytes = figure("touched_bytes");
    ASSERT_NO_FATAL_FAILURE(expect_comes_back(delta_file_, nullptr));
    EXPECT_EQ(figure("touched_bytes"), touched_bytes);
  }

  std::string device_;
  uint64_t device_bytes_ = 0;
  std::string generation_;
  std::string digest_;
  std::string trace_file_ = scratch_ / "trace";
  std::string delta_file_ = scratch_ / "delta";
};

// Writes pieces that are no whole blocks, in and beside the page cache.
inline void run_fio(const std::string& target, const std::vector<std::string>& more) {
  std::vector<std::string> argv = {
      "fio",          "--name=trial",       "--output=/dev/null", target,
      "--rw=randrw",  "--bsrange=512-9216", "--blockalign=512",   "--norandommap",
      "--io_size=3m", "--fallocate=none"};
  argv.insert(argv.end(), more.begin(), more.end());
  require_program(argv);
}

}  // namespace patina
