// Whole runs of workloads on mounts in memory: what is done, counted and left.
#include "flow/workload_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "personality/builtin.h"
#include "testing/device_testing.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;
using Tree = std::map<std::string, uint64_t>;  // bytes of each file

constexpr uint64_t kFitBytes = 32U << 20U;

class WorkloadRunTest : public testing::Test {
 protected:
  void SetUp() override {
    PATINA_REQUIRE_ROOT();
    keep_mounts_private();
    mount_ = std::make_unique<Mount>("tmpfs", folder_ / "mount", "tmpfs", "size=256m");
  }

  WorkloadRunOptions options_of(const std::string& text) const {
    std::ofstream(folder_ / "test.f") << text;
    WorkloadRunOptions options;
    options.spec = folder_ / "test.f";
    options.mount = mount_->folder();
    options.seconds = 0;
    return options;
  }

  Status run(const WorkloadRunOptions& options) {
    sink_.events.clear();
    return run_workload(options, sink_, stop_);
  }

  // Runs until the workload is done.
  void complete(const WorkloadRunOptions& options) {
    const Status done = run(options);
    ASSERT_TRUE(done.ok()) << done.error().message;
    ASSERT_EQ(sink_.events.front()["type"], "hello");
    ASSERT_EQ(sink_.events[1]["type"], "personality");
    ASSERT_EQ(sink_.last()["type"], "summary");
  }

  void expect_error(const WorkloadRunOptions& options, ErrorCode code,
                    const std::vector<std::string>& mentions) {
    const Status done = run(options);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code, code) << done.error().message;
    for (const std::string& words : mentions)
      EXPECT_NE(done.error().message.find(words), std::string::npos) << done.error().message;
  }

  const Json& summary() const { return sink_.last(); }
  uint64_t figure(const char* name) const { return summary()[name].get<uint64_t>(); }

  const Json& operation(const std::string& name) const {
    for (const Json& row : summary()["operations"]) {
      if (row["name"] == name) return row;
    }
    ADD_FAILURE() << "no operation " << name;
    return summary();
  }
  uint64_t count(const std::string& name) const { return operation(name)["count"].get<uint64_t>(); }
  uint64_t bytes(const std::string& name) const { return operation(name)["bytes"].get<uint64_t>(); }

  static Tree tree_of(const std::string& mount) {
    Tree tree;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(mount)) {
      const std::string path = std::filesystem::relative(entry.path(), mount);
      if (entry.is_regular_file() && !path.ends_with(".limits")) tree[path] = entry.file_size();
    }
    return tree;
  }
  Tree tree() const { return tree_of(mount_->folder()); }
  static uint64_t bytes_of(const Tree& tree) {
    uint64_t sum = 0;
    for (const auto& [path, size] : tree) sum += size;
    return sum;
  }

  ScratchFolder folder_;
  std::unique_ptr<Mount> mount_;
  CollectingSink sink_;
  std::atomic<bool> stop_{false};
};

// Twenty files are copied; the next create finds no file.
constexpr const char* kCopy =
    "set mode quit firstdone\n"
    "define fileset name=from,entries=20,size=10000,prealloc\n"
    "define fileset name=to,entries=20,size=5000,dirwidth=4\n"
    "define process name=p { thread name=t {\n"
    "  flowop openfile name=open,filesetname=from,fd=1\n"
    "  flowop readwholefile name=read,fd=1,iosize=4k\n"
    "  flowop createfile name=create,filesetname=to,fd=2\n"
    "  flowop writewholefile name=write,srcfd=2,fd=2,iosize=2k\n"
    "  flowop appendfile name=append,fd=2,iosize=100\n"
    "  flowop fsync name=sync,fd=2\n"
    "  flowop closefile name=close,fd=1\n"
    "  flowop closefile name=close,fd=2\n"
    "  flowop statfile name=stat,filesetname=from\n"
    "} }\n";

TEST_F(WorkloadRunTest, CountsExactlyWhatItDoesUntilTheFilesAreUsedUp) {
  complete(options_of(kCopy));
  EXPECT_EQ(figure("preallocated_bytes"), 200'000U);
  EXPECT_EQ(figure("written_bytes"), 20U * 5100);
  EXPECT_EQ(figure("read_bytes"), 21U * 10'000);
  EXPECT_EQ(figure("files_count"), 40U);
  EXPECT_EQ(figure("threads_count"), 1U);
  EXPECT_EQ(summary()["ended"], "done");
  EXPECT_EQ(count("open"), 21U);
  EXPECT_EQ(count("read"), 21U);
  EXPECT_EQ(count("create"), 20U);
  EXPECT_EQ(count("write"), 20U);
  EXPECT_EQ(bytes("write"), 100'000U);
  EXPECT_EQ(count("append"), 20U);
  EXPECT_EQ(bytes("append"), 2000U);
  EXPECT_EQ(count("sync"), 20U);
  EXPECT_EQ(count("close"), 40U);
  EXPECT_EQ(count("stat"), 20U);
  EXPECT_EQ(figure("ops_count"), 21U + 21 + 7 * 20);
  const Tree left = tree();
  EXPECT_EQ(left.size(), 40U);
  EXPECT_EQ(bytes_of(left), figure("preallocated_bytes") + figure("written_bytes"));
}

TEST_F(WorkloadRunTest, EndsWhenACountIsReached) {
  complete(
      options_of("define file name=data,size=1m,prealloc\n"
                 "define process name=p { thread name=t {\n"
                 "  flowop read name=read,filesetname=data,iosize=4k,random,iters=5\n"
                 "  flowop write name=write,filesetname=data,iosize=8k,random,iters=3\n"
                 "  flowop finishoncount name=end,value=30,target=read\n"
                 "} }\n"));
  EXPECT_EQ(count("read"), 30U);
  EXPECT_EQ(count("write"), 18U);
  EXPECT_EQ(figure("read_bytes"), 30U * 4096);
  EXPECT_EQ(figure("written_bytes"), 18U * 8192);
  EXPECT_EQ(figure("ops_count"), 48U);
  EXPECT_EQ(bytes_of(tree()), 1048576U);
}

TEST_F(WorkloadRunTest, EndsWhenTheBytesAreExceeded) {
  complete(
      options_of("define file name=data,size=64k,prealloc\n"
                 "define process name=p { thread name=t {\n"
                 "  flowop read name=read,filesetname=data,iosize=16k\n"
                 "  flowop finishonbytes name=end,value=96k\n"
                 "} }\n"));
  // The fifth read finds the end, and the next begins again.
  EXPECT_EQ(count("read"), 8U);
  EXPECT_EQ(figure("read_bytes"), 7U * 16384);
}

TEST_F(WorkloadRunTest, AWritePassesTheEndAndTheFileGrows) {
  complete(
      options_of("define file name=data,size=4k,prealloc\n"
                 "define process name=p { thread name=t {\n"
                 "  flowop write name=write,filesetname=data,iosize=4k\n"
                 "  flowop finishoncount name=end,value=10\n"
                 "} }\n"));
  EXPECT_EQ(bytes_of(tree()), 40'960U);
  EXPECT_EQ(figure("written_bytes"), 40'960U);
}

TEST_F(WorkloadRunTest, RandomAppendsAndAsynchronousWritesAreCounted) {
  complete(
      options_of("define file name=log,size=0,prealloc\n"
                 "define file name=data,size=1m,prealloc\n"
                 "define process name=p { thread name=t {\n"
                 "  flowop appendfilerand name=append,filesetname=log,iosize=1k,fd=1\n"
                 "  flowop aiowrite name=start,filesetname=data,iosize=4k,random,iters=300,fd=2\n"
                 "  flowop aiowait name=wait\n"
                 "  flowop fsyncset name=sync,filesetname=log\n"
                 "  flowop finishoncount name=end,value=50,target=append\n"
                 "} }\n"));
  EXPECT_EQ(count("append"), 50U);
  EXPECT_EQ(count("start"), 15'000U);
  EXPECT_EQ(bytes("start"), 15'000U * 4096);
  EXPECT_EQ(count("wait"), 50U);
  EXPECT_EQ(count("sync"), 50U);
  EXPECT_LT(bytes("append"), 50U * 1024);
  EXPECT_EQ(bytes_of(tree()), bytes("append") + 1048576);
}

TEST_F(WorkloadRunTest, DirectoriesAreMadeListedAndRemoved) {
  complete(
      options_of("set mode quit firstdone\n"
                 "define fileset name=dirs,leafdirs=30,dirwidth=5\n"
                 "define process name=p { thread name=t {\n"
                 "  flowop makedir name=make,filesetname=dirs,iters=3\n"
                 "  flowop removedir name=remove,filesetname=dirs\n"
                 "  flowop makedir name=make,filesetname=dirs\n"
                 "  flowop listdir name=list,filesetname=dirs\n"
                 "} }\n"));
  // Nine times three more are there; the tenth has three to make and then one.
  EXPECT_EQ(count("remove"), 10U);
  EXPECT_EQ(count("make"), 40U);
  EXPECT_EQ(count("list"), 10U);
}

TEST_F(WorkloadRunTest, ThreadsWaitForEachOther) {
  complete(options_of(
      "set mode quit firstdone\n"
      "define fileset name=log,entries=100\n"
      "define process name=p {\n"
      "  thread name=writer { flowop semblock name=wait,value=10,highwater=50\n"
      "    flowop createfile name=create,filesetname=log,fd=1 flowop closefile name=close,fd=1 }\n"
      "  thread name=poster,instances=4 { flowop sempost name=post,target=wait,value=1,blocking }\n"
      "  thread name=sleeper { flowop block name=block flowop hog name=hog,value=10 }\n"
      "  thread name=waker { flowop wakeup name=wake,target=block }\n"
      "}\n"));
  EXPECT_EQ(count("create"), 100U);
  EXPECT_GE(count("wait"), 101U);
  EXPECT_GE(count("post"), 1010U);
  EXPECT_LE(count("post"), 1010U + 50 + 10);
  EXPECT_EQ(figure("ops_count"), 200U);
}

TEST_F(WorkloadRunTest, ALimitTakesAnEventForEachOperation) {
  // Without a rate the limits do nothing; with a very high one they end.
  for (const char* rate : {"", "eventgen rate=1000000\n"}) {
    mount_.reset();
    mount_ = std::make_unique<Mount>("tmpfs", folder_ / "mount", "tmpfs", "size=256m");
    complete(options_of(std::string(rate) + "define file name=data,size=64k,prealloc\n"
                                            "define process name=p { thread name=t {\n"
                                            "  flowop read name=read,filesetname=data,iosize=4k,random\n"
                                            "  flowop eventlimit name=events\n"
                                            "  flowop iopslimit name=iops,target=read\n"
                                            "  flowop opslimit name=ops\n"
                                            "  flowop bwlimit name=bandwidth\n"
                                            "  flowop finishoncount name=end,value=200\n"
                                            "} }\n"));
    EXPECT_EQ(count("read"), 200U);
    EXPECT_EQ(count("events"), 200U);
    EXPECT_EQ(count("bandwidth"), 200U);
    EXPECT_EQ(figure("ops_count"), 200U);
  }
}

TEST_F(WorkloadRunTest, InTheModeAlldoneEachThreadEndsAlone) {
  complete(options_of(
      "set mode quit alldone\n"
      "define fileset name=few,entries=5\ndefine fileset name=many,entries=50\n"
      "define process name=p {\n"
      "  thread name=a { flowop createfile name=few,filesetname=few,fd=1 flowop closefile name=close,fd=1 }\n"
      "  thread name=b { flowop createfile name=many,filesetname=many,fd=1 flowop closefile name=close,fd=1 "
      "}\n"
      "}\n"));
  EXPECT_EQ(count("few"), 5U);
  EXPECT_EQ(count("many"), 50U);
  EXPECT_EQ(summary()["ended"], "done");
}

TEST_F(WorkloadRunTest, QuantilesAndCountsAreConsistent) {
  complete(options_of(kCopy));
  uint64_t ops_count = 0;
  for (const Json& row : summary()["operations"]) {
    EXPECT_LE(row["p50_us"], row["p90_us"]);
    EXPECT_LE(row["p90_us"], row["p99_us"]);
    EXPECT_LE(row["p99_us"], row["p999_us"]);
    EXPECT_LE(row["p999_us"], row["max_us"]);
    EXPECT_LE(row["mean_us"], row["max_us"]);
    uint64_t in_histogram = 0;
    for (const Json& bucket : row["histogram"]) in_histogram += bucket[1].get<uint64_t>();
    EXPECT_EQ(in_histogram, row["count"]);
    if (row["is_counted"].get<bool>()) ops_count += row["count"].get<uint64_t>();
  }
  EXPECT_EQ(ops_count, figure("ops_count"));
  EXPECT_EQ(summary()["samples"].back()[1], ops_count);
  EXPECT_EQ(summary()["samples"].back()[0], summary()["elapsed_s"]);
}

TEST_F(WorkloadRunTest, WhatIsDoneWhileItWarmsUpIsNotMeasured) {
  WorkloadRunOptions options = options_of(kCopy);
  options.warm_up_s = 1e6;
  complete(options);
  EXPECT_EQ(figure("ops_count"), 0U);
  EXPECT_EQ(count("create"), 0U);
  EXPECT_EQ(figure("written_bytes"), 20U * 5100);
}

TEST_F(WorkloadRunTest, AnEndByCountCountsTheWarmUpToo) {
  WorkloadRunOptions options = options_of(
      "define file name=data,size=64k,prealloc\n"
      "define process name=p { thread name=t {\n"
      "  flowop read name=read,filesetname=data,iosize=4k,random\n"
      "  flowop finishoncount name=end,value=100,target=read\n"
      "} }\n");
  options.warm_up_s = 1e6;
  complete(options);
  EXPECT_EQ(figure("read_bytes"), 100U * 4096);
}

TEST_F(WorkloadRunTest, InTwoStepsItDoesTheSameAsInOne) {
  // Too large for the mounts, so that it is scaled by the free space, of which the first step takes some.
  const std::string text = std::regex_replace(std::string(kCopy), std::regex("entries=20"), "entries=1000");
  const Mount one("tmpfs", folder_ / "one", "tmpfs", "size=16m");
  WorkloadRunOptions options = options_of(text);
  options.mount = one.folder();
  complete(options);
  const uint64_t written_bytes = figure("written_bytes");
  EXPECT_LT(sink_.events[1]["scale_fraction"].get<double>(), 1);
  const Tree at_once = tree_of(one.folder());
  const Mount other("tmpfs", folder_ / "other", "tmpfs", "size=16m");
  options.mount = other.folder();
  options.stage = WorkloadStage::kAllocate;
  complete(options);
  EXPECT_EQ(figure("ops_count"), 0U);
  EXPECT_EQ(summary()["ended"], "");
  EXPECT_EQ(bytes_of(tree_of(other.folder())), figure("preallocated_bytes"));
  options.stage = WorkloadStage::kRun;
  complete(options);
  EXPECT_EQ(figure("written_bytes"), written_bytes);
  EXPECT_EQ(tree_of(other.folder()), at_once);
}

TEST_F(WorkloadRunTest, TheSameSeedAllocatesTheSameTree) {
  WorkloadRunOptions options = options_of("");
  options.spec = "fileserver";
  options.fit_bytes = kFitBytes;
  options.stage = WorkloadStage::kAllocate;
  complete(options);
  const Tree first = tree();
  EXPECT_GT(first.size(), 100U);
  const Mount other("tmpfs", folder_ / "other", "tmpfs", "size=256m");
  options.mount = other.folder();
  complete(options);
  EXPECT_EQ(tree_of(other.folder()), first);
  const Mount third("tmpfs", folder_ / "third", "tmpfs", "size=256m");
  options.mount = third.folder();
  options.seed = 2;
  complete(options);
  EXPECT_NE(tree_of(third.folder()), first);
}

TEST_F(WorkloadRunTest, AFullFileSystemEndsTheRunAndNamesTheOperation) {
  const Mount small("tmpfs", folder_ / "small", "tmpfs", "size=1m");
  for (const char* words : {"write", "appendfile", "aiowrite"}) {
    WorkloadRunOptions options = options_of(
        fmt::format("define file name=data_of_{0},size=4k,prealloc\n"
                    "define process name=p {{ thread name=t,instances=3 {{\n"
                    "  flowop {0} name=fill,filesetname=data_of_{0},iosize=4k,random={1},workingset=100m\n"
                    "  flowop aiowait name=wait\n"
                    "}} }}\n",
                    words, std::string_view(words) == "aiowrite" ? "true" : "false"));
    options.mount = small.folder();
    options.files_count = 1;
    const Status done = run(options);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code, ErrorCode::kNoSpace) << done.error().message;
    EXPECT_TRUE(done.error().message.find("operation fill") != std::string::npos ||
                done.error().message.find("operation wait") != std::string::npos)
        << done.error().message;
    std::filesystem::remove_all(small.folder() + "/patina-workload");
  }
}

TEST_F(WorkloadRunTest, AWorkloadThatRunsOutOfFilesSaysHowToMendIt) {
  expect_error(options_of("define fileset name=few,entries=3\n"
                          "define process name=p { thread name=t {\n"
                          "  flowop createfile name=make,filesetname=few,fd=1\n"
                          "  flowop closefile name=close,fd=1 } }\n"),
               ErrorCode::kWorkloadInvalid, {"operation make (createfile)", "'few' (3 files)", "firstdone"});
}

TEST_F(WorkloadRunTest, AnOperationThatCannotBeIsAnError) {
  const auto with = [this](const char* flow) {
    mount_.reset();
    mount_ = std::make_unique<Mount>("tmpfs", folder_ / "mount", "tmpfs", "size=256m");
    return options_of(
        fmt::format("define fileset name=files,entries=5,size=4k,prealloc\n"
                    "define process name=p {{ thread name=t {{ {} }} }}\n",
                    flow));
  };
  const auto expect = [&](const char* flow, const char* words) {
    expect_error(with(flow), ErrorCode::kWorkloadInvalid, {words});
  };
  expect("flowop closefile name=c,fd=3", "operation c (closefile): fd 3 is not open");
  expect("flowop fsync name=s,fd=3", "operation s (fsync): fd 3 is not open");
  expect("flowop read name=r,fd=3,iosize=1k", "no file is open as fd 3");
  expect("flowop openfile name=o,filesetname=files,fd=1", "fd 1 is still open");
  expect("flowop createfile name=c,filesetname=files,fd=1", "no suitable file is left");
  expect("flowop deletefile name=d", "it names no file set");
  expect("flowop statfile name=s,fd=2", "it names no file set");
  expect("flowop read name=r,filesetname=files,iosize=8k,random",
         "a random read of 8192 bytes is larger than its file");
  expect("flowop write name=w,filesetname=files,iosize=8k,random", "a random write of 8192 bytes");
  expect("flowop writewholefile name=w,filesetname=files,srcfd=4", "no file was opened as srcfd 4");
}

TEST_F(WorkloadRunTest, AFileThatIsOpenElsewhereIsNotDeletedAndItsSlotStaysOpen) {
  complete(
      options_of("define fileset name=files,entries=1,size=4k,prealloc\n"
                 "define process name=p { thread name=t {\n"
                 "  flowop openfile name=open,filesetname=files,fd=1\n"
                 "  flowop openfile name=open,filesetname=files,fd=2\n"
                 "  flowop deletefile name=delete,fd=1\n"
                 "  flowop writewholefile name=write,fd=1,srcfd=1\n"
                 "  flowop closefile name=close,fd=1\n"
                 "  flowop closefile name=close,fd=2\n"
                 "  flowop finishoncount name=end,value=1\n"
                 "} }\n"));
  EXPECT_EQ(count("delete"), 0U);
  EXPECT_EQ(count("close"), 2U);
  EXPECT_EQ(tree().size(), 1U);
}

TEST_F(WorkloadRunTest, AFileThatIsMadeAgainIsNotReleasedByItsOldDescriptor) {
  complete(
      options_of("define fileset name=files,entries=1,size=4k,prealloc\n"
                 "define process name=p { thread name=t {\n"
                 "  flowop openfile name=open,filesetname=files,fd=1\n"
                 "  flowop deletefile name=delete,fd=1\n"
                 "  flowop createfile name=create,filesetname=files,fd=2\n"
                 "  flowop closefile name=close,fd=1\n"
                 "  flowop deletefile name=in-use,filesetname=files\n"
                 "  flowop closefile name=close,fd=2\n"
                 "  flowop finishoncount name=end,value=1\n"
                 "} }\n"));
  EXPECT_EQ(count("delete"), 1U);
  EXPECT_EQ(count("in-use"), 0U);
  EXPECT_EQ(tree().size(), 1U);
}

TEST_F(WorkloadRunTest, AHundredThreadsOverTenFilesEnd) {
  complete(
      options_of("set mode quit alldone\n"
                 "define fileset name=files,entries=10,size=4k,prealloc\n"
                 "define process name=p {\n"
                 "  thread name=maker,instances=50 {\n"
                 "    flowop deletefile name=delete,filesetname=files\n"
                 "    flowop createfile name=create,filesetname=files,fd=1\n"
                 "    flowop writewholefile name=write,fd=1,srcfd=1\n"
                 "    flowop closefile name=close,fd=1\n"
                 "  }\n"
                 "  thread name=reader,instances=50 {\n"
                 "    flowop openfile name=open,filesetname=files,fd=1\n"
                 "    flowop readwholefile name=read,fd=1\n"
                 "    flowop closefile name=close,fd=1\n"
                 "    flowop statfile name=stat,filesetname=files\n"
                 "    flowop finishoncount name=end,value=5000\n"
                 "  }\n"
                 "}\n"));
  EXPECT_EQ(summary()["ended"], "done");
  EXPECT_LE(tree().size(), 10U);
}

TEST_F(WorkloadRunTest, TheTimeEndsEveryOperation) {
  WorkloadRunOptions options = options_of(
      "define fileset name=files,entries=5,size=4k,prealloc\n"
      "eventgen rate=1\n"
      "define flowop name=group { flowop statfile name=stat,filesetname=files,iters=1t }\n"
      "define process name=p {\n"
      "  thread name=a { flowop hog name=hog,value=1000t }\n"
      "  thread name=b { flowop delay name=delay,value=1000t }\n"
      "  thread name=c { flowop block name=block }\n"
      "  thread name=d { flowop semblock name=wait,value=1 }\n"
      "  thread name=e { flowop eventlimit name=events,iters=100 }\n"
      "  thread name=f { flowop group name=g,iters=1t }\n"
      "  thread name=g { flowop sempost name=post,target=other,value=5,blocking }\n"
      "  thread name=h { flowop block name=before flowop semblock name=other,value=1 }\n"
      "}\n");
  options.seconds = 0.02;
  complete(options);
  EXPECT_EQ(summary()["ended"], "time");
  EXPECT_EQ(sink_.events[1]["run_s"], 60);
}

TEST_F(WorkloadRunTest, AStopWhileFilesAreWrittenCancels) {
  sink_.on_event = [this](const Json& event) {
    if (event["type"] == "personality") stop_ = true;
    return true;
  };
  expect_error(options_of(kCopy), ErrorCode::kCanceled, {"files were being written"});
}

constexpr const char* kEndless =
    "define fileset name=files,entries=5,size=4k,prealloc\n"
    "define process name=p { thread name=t,instances=4 { flowop statfile name=stat,filesetname=files } }\n";

TEST_F(WorkloadRunTest, AStopWhileItRunsCancels) {
  sink_.on_event = [this](const Json& event) {
    if (event["type"] == "progress" && event["stage"] == "run") stop_ = true;
    return true;
  };
  expect_error(options_of(kEndless), ErrorCode::kCanceled, {"while the workload ran"});
}

TEST_F(WorkloadRunTest, AClosedOutputCancels) {
  sink_.on_event = [](const Json& event) { return event["type"] != "progress"; };
  expect_error(options_of(kEndless), ErrorCode::kCanceled, {});
  sink_.on_event = [](const Json&) { return false; };
  expect_error(options_of(kEndless), ErrorCode::kCanceled, {"before the workload had begun"});
}

TEST_F(WorkloadRunTest, ADirectoryThatIsNoMountIsRefused) {
  WorkloadRunOptions options = options_of(kCopy);
  for (const std::string& place : {folder_.path(), folder_ / "nothing", folder_ / "test.f"}) {
    options.mount = place;
    expect_error(options, ErrorCode::kMountUnusable, {place});
  }
}

TEST_F(WorkloadRunTest, TheFolderOfAnEarlierWorkloadIsRefused) {
  complete(options_of(kCopy));
  expect_error(options_of(kCopy), ErrorCode::kMountUnusable, {"patina-workload", "earlier workload"});
}

TEST_F(WorkloadRunTest, ARunOfFilesThatWereNotAllocatedIsRefused) {
  WorkloadRunOptions options = options_of(kCopy);
  options.stage = WorkloadStage::kRun;
  expect_error(options, ErrorCode::kMountUnusable, {"allocate its files first"});
  options.files_count = 40;
  expect_error(options, ErrorCode::kMountUnusable, {"allocate its files first"});
  std::filesystem::create_directory(mount_->folder() + "/patina-workload");
  expect_error(options, ErrorCode::kMountUnusable, {"'from'"});
  options.files_count.reset();
  expect_error(options, ErrorCode::kMountUnusable, {".limits"});
}

TEST(WorkloadDescription, NeedsNoMount) {
  const std::atomic<bool> stop{false};
  for (const BuiltinPersonality& builtin : builtin_personalities()) {
    CollectingSink sink;
    WorkloadRunOptions options;
    options.spec = builtin.name;
    options.stage = WorkloadStage::kDescribe;
    options.fit_bytes = kFitBytes;
    ASSERT_TRUE(run_workload(options, sink, stop).ok());
    ASSERT_EQ(sink.events.size(), 2U);
    EXPECT_EQ(sink.last()["type"], "personality");
    EXPECT_EQ(sink.last()["name"], builtin.name);
    EXPECT_GT(sink.last()["threads_count"], 0);
    EXPECT_LE(sink.last()["expected_bytes"], kFitBytes);
  }
}

TEST(WorkloadDescription, AnUnknownNameListsThoseBuiltIn) {
  const std::atomic<bool> stop{false};
  CollectingSink sink;
  WorkloadRunOptions options;
  options.spec = "nonsense";
  options.stage = WorkloadStage::kDescribe;
  const Status described = run_workload(options, sink, stop);
  ASSERT_FALSE(described.ok());
  EXPECT_EQ(described.error().code, ErrorCode::kWorkloadInvalid);
  for (const BuiltinPersonality& builtin : builtin_personalities()) {
    EXPECT_NE(described.error().message.find(builtin.name), std::string::npos);
  }
}

class BuiltinRun : public WorkloadRunTest, public testing::WithParamInterface<BuiltinPersonality> {
 protected:
  // Returns the text with smaller files. Each thread ends the run after a loop, once there were 2000
  // operations.
  static std::string shortened(const std::string& text) {
    const std::string smaller =
        std::regex_replace(std::regex_replace(text, std::regex("mean:[0-9]+"), "mean:2048"),
                           std::regex("size=120000"), "size=2000");
    const std::string end = "\n  }\n}\n";
    const size_t at = smaller.rfind(end);
    EXPECT_NE(at, std::string::npos);
    return smaller.substr(0, at) + "\n    flowop finishoncount name=enough,value=2000" + smaller.substr(at);
  }
};

TEST_P(BuiltinRun, DoesEveryOperationThatItContains) {
  WorkloadRunOptions options = options_of(shortened(std::string(GetParam().text)));
  options.fit_bytes = kFitBytes;
  complete(options);
  for (const Json& row : summary()["operations"])
    EXPECT_TRUE(row["count"] > 0 || row["name"] == "enough") << row;
  EXPECT_GE(figure("ops_count"), 2000U);
  EXPECT_EQ(summary()["ended"], "done");
}

INSTANTIATE_TEST_SUITE_P(All, BuiltinRun, testing::ValuesIn(builtin_personalities()),
                         [](const auto& builtin) {
                           std::string name(builtin.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace patina
