// One thread of a workload: repeats its operations until the run ends.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/random.h"
#include "flow/flow_run.h"

namespace patina {

class AsyncWrites;
class FlowTimer;

class FlowThread {
 public:
  // `run` outlives it. Registers its semaphores and blocks there.
  FlowThread(FlowRun& run, const ThreadSpec& spec, uint64_t number);
  ~FlowThread();
  FlowThread(const FlowThread&) = delete;
  FlowThread& operator=(const FlowThread&) = delete;

  // Threads of the same process, for limits on their sum. Call it before work().
  void set_process(std::vector<const FlowThread*> threads) { process_ = std::move(threads); }

  // Works until run.stop. Requests the stop itself when the personality's end mode or a limit asks for it, or
  // an operation has failed, whose error is then in run.failure.
  void work();

  struct Named {
    const FlowSpec* spec;
    const FlowFigures* figures;
  };
  // Figures of each operation, after work() has returned.
  std::vector<Named> figures() const;
  const FlowTotals& totals() const { return totals_; }

 private:
  enum class Outcome { kDone, kNoFile, kFinished, kStopped };

  struct Node {
    const FlowSpec* spec = nullptr;
    FlowFigures* figures = nullptr;
    FlowSemaphore* semaphore = nullptr;
    FlowBlock* block = nullptr;
    // Its target's instances, once `is_resolved`.
    std::vector<FlowSemaphore*> posted;
    std::vector<FlowBlock*> woken;
    std::vector<const FlowFigures*> measured;
    bool is_resolved = false;
    uint64_t seen_count = 0;  // of a limit: what it has taken events for
    std::vector<Node> group;
  };

  struct OpenFile {
    Descriptor fd;
    FileSet* set = nullptr;  // of the file that is or was open
    size_t file = 0;
    bool is_forgotten = false;  // it was removed, so that its number may mean another file by now
    bool is_open() const { return fd.valid(); }
  };

  Node node_of(const FlowSpec& spec);
  bool is_stopped() const { return run_.stop.load(std::memory_order_relaxed); }
  Outcome carry_out(std::vector<Node>& nodes);
  Outcome carry_out_once(Node& node);
  Outcome wait_or_limit(Node& node);
  uint64_t measured(const Node& node, std::atomic<uint64_t> FlowTotals::* total) const;
  bool limit(Node& node, std::atomic<uint64_t> FlowTotals::* total, double unit);
  void resolve(Node& node);
  Outcome fail(const Node& node, const char* what, int code);
  Outcome refuse(const Node& node, const std::string& why);
  Outcome no_file(const Node& node, const FileSet& set);

  // Operations on data, in flow_data.cc.
  Outcome read(Node& node);
  Outcome write(Node& node);
  Outcome read_whole(Node& node);
  Outcome write_whole(Node& node);
  Outcome append(Node& node, bool is_random);
  Outcome async_write(Node& node);
  Outcome async_wait(Node& node);
  Outcome done(const Node& node, const FlowTimer& timer, uint64_t read_bytes, uint64_t written_bytes);
  // The stop came in the middle of an operation, which is not counted; its bytes are.
  Outcome cut_off(uint64_t read_bytes, uint64_t written_bytes);
  // The bytes that a random access reaches; the size of a read or write.
  uint64_t working_set_of(const Node& node, const OpenFile& file);
  // Returns a random offset for `bytes` bytes; nothing where the working set is smaller.
  std::optional<int64_t> random_offset(const Node& node, const OpenFile& file, uint64_t bytes);
  // Read or write in pieces, at `offset` or, if it is negative, at the file's own. Return the bytes moved, or
  // -errno.
  int64_t read_bytes(int fd, uint64_t bytes, int64_t offset);
  int64_t write_bytes(int fd, uint64_t bytes, int64_t offset);

  // Operations on names, in flow_names.cc.
  Outcome open(Node& node);
  Outcome create(Node& node);
  Outcome close(Node& node);
  Outcome remove(Node& node);
  Outcome stat(Node& node);
  Outcome sync(Node& node);
  Outcome sync_set(Node& node);
  Outcome make_directory(Node& node);
  Outcome remove_directory(Node& node);
  Outcome list_directory(Node& node);
  Outcome done(const Node& node, const FlowTimer& timer);
  FileSet& set_of(const Node& node) { return *run_.file_sets[static_cast<size_t>(node.spec->file_set)]; }
  std::optional<size_t> index_of(const Node& node, size_t count);
  // Returns the open file that an operation on data works on, and opens it when the operation names a set.
  // Null: `outcome` says why there is none.
  OpenFile* file_of(const Node& node, Outcome& outcome);
  Outcome open_into(OpenFile& slot, const Node& node, size_t* rotor);

  FlowTotals totals_;  // first: it begins a cache line
  FlowRun& run_;
  Random random_;
  std::vector<Node> flow_;
  std::vector<std::unique_ptr<FlowFigures>> all_figures_;
  std::vector<const FlowSpec*> all_specs_;
  std::vector<const FlowThread*> process_;
  std::vector<OpenFile> slots_;                  // by fd
  std::vector<OpenFile> implicit_;               // by file set: of operations without an fd
  std::vector<std::vector<OpenFile>> rotating_;  // by file set: of operations with open_next
  std::vector<size_t> rotating_at_;
  std::vector<size_t> rotors_;  // by file set: of operations with open_next
  std::vector<char> read_storage_;
  std::unique_ptr<AsyncWrites> async_;
};

}  // namespace patina
