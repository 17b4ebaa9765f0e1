// A workload of measured operations: file sets, and processes whose threads repeat operations on them. The
// model behind Filebench's workload model language (filebench.sourceforge.net), which personality_reader.h
// reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "personality/number.h"

namespace patina {

struct FileSetSpec {
  std::string name;
  Number bytes;  // of each file
  Number files_count = Number::of(1);
  std::string files_variable;              // that files_count was given by; empty: none
  Number directory_width = Number::of(0);  // files of a directory; 0: no directories
  double directory_shape = 1.5;  // of the gamma distribution of widths and depths; 0: all are the mean
  std::optional<Number> depth;   // of a file's directory; absent: what width and files_count need
  Number leaf_directories_count = Number::of(0);  // empty directories, which operations make and remove
  double allocated_fraction = 0;                  // of the files, written before the run
  bool is_single_file = false;
  bool read_only = false;
  bool write_only = false;
};

// Kinds of operations: X(enumerator, word in the language, whether it is counted as an operation on a file).
#define PATINA_FLOW_OPERATIONS(X)            \
  X(kRead, "read", true)                     \
  X(kWrite, "write", true)                   \
  X(kReadWholeFile, "readwholefile", true)   \
  X(kWriteWholeFile, "writewholefile", true) \
  X(kAppend, "appendfile", true)             \
  X(kAppendRandom, "appendfilerand", true)   \
  X(kAsyncWrite, "aiowrite", true)           \
  X(kAsyncWait, "aiowait", true)             \
  X(kOpen, "openfile", true)                 \
  X(kCreate, "createfile", true)             \
  X(kClose, "closefile", true)               \
  X(kDelete, "deletefile", true)             \
  X(kStat, "statfile", true)                 \
  X(kSync, "fsync", true)                    \
  X(kSyncSet, "fsyncset", true)              \
  X(kMakeDirectory, "makedir", true)         \
  X(kRemoveDirectory, "removedir", true)     \
  X(kListDirectory, "listdir", true)         \
  X(kBlock, "block", false)                  \
  X(kWakeUp, "wakeup", false)                \
  X(kSemaphoreWait, "semblock", false)       \
  X(kSemaphorePost, "sempost", false)        \
  X(kHog, "hog", false)                      \
  X(kDelay, "delay", false)                  \
  X(kEventLimit, "eventlimit", false)        \
  X(kReadWriteLimit, "iopslimit", false)     \
  X(kOperationLimit, "opslimit", false)      \
  X(kBandwidthLimit, "bwlimit", false)       \
  X(kFinishOnCount, "finishoncount", false)  \
  X(kFinishOnBytes, "finishonbytes", false)

#define PATINA_ENUMERATOR(enumerator, word, is_counted) enumerator,
enum class FlowKind { PATINA_FLOW_OPERATIONS(PATINA_ENUMERATOR) kGroup };
#undef PATINA_ENUMERATOR

const char* flow_kind_name(FlowKind kind);
// Returns whether it is an operation on a file, counted in operations a second.
bool is_counted(FlowKind kind);

inline constexpr int kFlowSlots = 128;  // open files of a thread, by `fd`

struct FlowSpec {
  FlowKind kind = FlowKind::kGroup;
  std::string name;
  int file_set = -1;  // an index into Personality::file_sets; -1: that of the open file
  int fd = 0;         // a slot of the thread's open files
  int source_fd = 0;
  Number iterations = Number::of(1);
  Number io_bytes = Number::of(0);           // 0: the whole file at once
  Number working_set_bytes = Number::of(0);  // 0: the file
  Number value = Number::of(0);
  Number high_water = Number::of(1);
  std::optional<Number> index;  // picks a file by number, in place of the next one
  bool random = false;
  bool direct = false;
  bool data_sync = false;
  bool no_read_ahead = false;
  bool open_next = false;  // the next file of the set each time
  bool blocking = false;
  std::string target;           // name of another operation
  std::vector<FlowSpec> group;  // of kGroup: carried out in order
};

struct ThreadSpec {
  std::string name;
  uint32_t instances_count = 1;
  std::vector<FlowSpec> flow;
};

struct ProcessSpec {
  std::string name;
  uint32_t instances_count = 1;
  std::vector<ThreadSpec> threads;
};

enum class EndMode { kTimeout, kFirstDone, kAllDone };

// Entries of all file sets together, so that they fit into memory.
inline constexpr double kMaxEntries = 50e6;

struct Personality {
  std::string name;
  std::vector<FileSetSpec> file_sets;
  std::vector<ProcessSpec> processes;
  EndMode end_mode = EndMode::kTimeout;
  double run_s = 60;
  Number events_per_s = Number::of(0);  // 0: rates are not limited
  std::vector<std::string> ignored;     // statements without an effect here: "echo at 12:1"

  uint64_t threads_count() const;
  // Files of all sets, as expected.
  double files_count() const;
  // Bytes of all files of all sets, as expected; at most 2^62.
  double expected_bytes() const;
};

}  // namespace patina
