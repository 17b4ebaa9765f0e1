// Statements of the workload model language, and the personalities that they mean.
#include "personality/personality_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace patina {
namespace {

constexpr const char* kProcess =
    "define process name=p { thread name=t { flowop statfile filesetname=files } }\n";
constexpr const char* kFiles = "define fileset name=files\n";

Personality read(const std::string& text, const VariableOverrides& overrides = {}) {
  Result<Personality> personality = read_personality(text, "file.f", overrides);
  EXPECT_TRUE(personality.ok()) << personality.error().message << "\n" << text;
  return personality ? std::move(*personality) : Personality{};
}

// Reads statements, a file set `files` and a process.
Personality read_with(const std::string& statements) {
  return read(statements + kFiles + kProcess);
}

// Reads one operation on `files` in a thread.
FlowSpec operation(const std::string& words) {
  const Personality personality =
      read(fmt::format("{}define process name=p {{ thread name=t {{ {} }} }}", kFiles, words));
  return personality.processes.empty() ? FlowSpec{} : personality.processes[0].threads[0].flow[0];
}

FileSetSpec file_set(const std::string& words) {
  const Personality personality = read(fmt::format(
      "define {}\ndefine process name=p {{ thread name=t {{ flowop statfile filesetname=files }} }}", words));
  return personality.file_sets.empty() ? FileSetSpec{} : personality.file_sets[0];
}

std::string error_of(const std::string& text) {
  const Result<Personality> personality = read_personality(text, "file.f");
  EXPECT_FALSE(personality.ok()) << text;
  if (personality) return "";
  EXPECT_EQ(personality.error().code, ErrorCode::kWorkloadInvalid);
  return personality.error().message;
}

// Returns the error of one operation at its place in line 1.
std::string error_of_operation(const std::string& words) {
  return error_of(fmt::format("define process name=p {{ thread name=t {{ {} }} }} ", words));
}

TEST(PersonalityReader, AFileSetHasItsAttributes) {
  const FileSetSpec set = file_set(
      "fileset name=files,path=/somewhere,size=16k,entries=200,dirwidth=20,dirgamma=0,leafdirs=7,prealloc=80,"
      "paralloc,reuse,trusttree,cached=false,readonly");
  EXPECT_EQ(set.name, "files");
  EXPECT_EQ(set.bytes.mean, 16384);
  EXPECT_EQ(set.bytes.distribution, Distribution::kConstant);
  EXPECT_EQ(set.files_count.mean, 200);
  EXPECT_EQ(set.directory_width.mean, 20);
  EXPECT_EQ(set.directory_shape, 0);
  EXPECT_FALSE(set.depth.has_value());
  EXPECT_EQ(set.leaf_directories_count.mean, 7);
  EXPECT_EQ(set.allocated_fraction, 0.8);
  EXPECT_FALSE(set.is_single_file);
  EXPECT_TRUE(set.read_only);
  EXPECT_FALSE(set.write_only);
  EXPECT_TRUE(set.files_variable.empty());
}

TEST(PersonalityReader, AFileSetHasDefaults) {
  const FileSetSpec set = file_set("fileset name=files");
  EXPECT_EQ(set.bytes.mean, 1024);
  EXPECT_EQ(set.files_count.mean, 1024);
  EXPECT_EQ(set.directory_width.mean, 0);
  EXPECT_EQ(set.directory_shape, 1.5);
  EXPECT_EQ(set.leaf_directories_count.mean, 0);
  EXPECT_EQ(set.allocated_fraction, 0);
  EXPECT_FALSE(set.read_only);
  EXPECT_EQ(file_set("fileset name=files,leafdirs=9").files_count.mean, 0);
}

TEST(PersonalityReader, AFileIsASetOfOne) {
  const FileSetSpec set = file_set("file name=files,size=1g,prealloc,writeonly");
  EXPECT_TRUE(set.is_single_file);
  EXPECT_EQ(set.files_count.mean, 1);
  EXPECT_EQ(set.bytes.mean, 0x1p30);
  EXPECT_EQ(set.allocated_fraction, 1);
  EXPECT_TRUE(set.write_only);
}

TEST(PersonalityReader, AGammaOfSizesMakesAConstantSizeVary) {
  for (const char* attribute : {"filesizegamma", "sizegamma"}) {
    const FileSetSpec set = file_set(fmt::format("fileset name=files,filesize=8k,{}=1500", attribute));
    EXPECT_EQ(set.bytes.distribution, Distribution::kGamma);
    EXPECT_EQ(set.bytes.mean, 8192);
    EXPECT_EQ(set.bytes.shape, 1.5);
  }
  EXPECT_EQ(file_set("fileset name=files,size=8k,filesizegamma=0").bytes.distribution,
            Distribution::kConstant);
}

TEST(PersonalityReader, PreallocIsAFlagATruthValueOrAPercentage) {
  EXPECT_EQ(file_set("fileset name=files,prealloc").allocated_fraction, 1);
  EXPECT_EQ(file_set("fileset name=files,prealloc=true").allocated_fraction, 1);
  EXPECT_EQ(file_set("fileset name=files,prealloc=false").allocated_fraction, 0);
  EXPECT_EQ(file_set("fileset name=files,prealloc=25").allocated_fraction, 0.25);
}

TEST(PersonalityReader, DepthMayBeARandomVariable) {
  const Personality personality = read_with(
      "set $depth=randvar(type=uniform,mean=3,min=1)\ndefine fileset name=deep,dirdepthrv=$depth\n");
  EXPECT_EQ(personality.file_sets[0].depth.value_or(Number{}).distribution, Distribution::kUniform);
}

TEST(PersonalityReader, AnOperationHasItsAttributes) {
  const FlowSpec read = operation(
      "flowop read "
      "name=r,filesetname=files,fd=3,srcfd=4,iosize=8k,workingset=1m,iters=5,random,dsync,directio=1,"
      "noreadahead=true,opennext,indexed=2,value=6,highwater=7,blocking,target=r");
  EXPECT_EQ(read.kind, FlowKind::kRead);
  EXPECT_EQ(read.name, "r");
  EXPECT_EQ(read.file_set, 0);
  EXPECT_EQ(read.fd, 3);
  EXPECT_EQ(read.source_fd, 4);
  EXPECT_EQ(read.io_bytes.mean, 8192);
  EXPECT_EQ(read.working_set_bytes.mean, 1048576);
  EXPECT_EQ(read.iterations.mean, 5);
  EXPECT_EQ(read.value.mean, 6);
  EXPECT_EQ(read.high_water.mean, 7);
  EXPECT_EQ(read.index.value_or(Number{}).mean, 2);
  EXPECT_TRUE(read.random && read.data_sync && read.direct && read.no_read_ahead && read.open_next &&
              read.blocking);
  EXPECT_EQ(read.target, "r");
}

TEST(PersonalityReader, AnOperationHasDefaults) {
  const FlowSpec close = operation("flowop closefile fd=0");
  EXPECT_EQ(close.name, "closefile");
  EXPECT_EQ(close.file_set, -1);
  EXPECT_EQ(close.fd, 0);
  EXPECT_EQ(close.iterations.mean, 1);
  EXPECT_EQ(close.high_water.mean, 1);
  EXPECT_FALSE(close.index.has_value());
  EXPECT_FALSE(close.random || close.data_sync || close.direct || close.no_read_ahead || close.open_next ||
               close.blocking);
  EXPECT_TRUE(close.target.empty());
}

TEST(PersonalityReader, OtherNamesOfAttributesMeanTheSame) {
  const FlowSpec write = operation("flowop write filename=files,iosize=1k,wss=2k,rotatefd");
  EXPECT_EQ(write.file_set, 0);
  EXPECT_EQ(write.working_set_bytes.mean, 2048);
  EXPECT_TRUE(write.open_next);
}

TEST(PersonalityReader, EveryOperationIsKnownByItsWord) {
  for (int i = 0; i < static_cast<int>(FlowKind::kGroup); ++i) {
    const auto kind = static_cast<FlowKind>(i);
    const FlowSpec spec = operation(
        fmt::format("flowop {} name=o,filesetname=files,iosize=1,target=o,value=1", flow_kind_name(kind)));
    EXPECT_EQ(spec.kind, kind) << flow_kind_name(kind);
  }
}

TEST(PersonalityReader, ProcessesHaveThreadsAndInstances) {
  const Personality personality = read(
      "define fileset name=files\n"
      "define process name=a,instances=2,nice=5 {\n"
      "  thread name=x,memsize=10m,useism,ioprio=3,instances=3 { flowop statfile filesetname=files }\n"
      "  thread name=y { flowop statfile filesetname=files flowop hog value=2 }\n"
      "}\n"
      "define process name=b { thread name=z,procname=b { flowop hog value=1 } }\n");
  ASSERT_EQ(personality.processes.size(), 2U);
  EXPECT_EQ(personality.processes[0].name, "a");
  EXPECT_EQ(personality.processes[0].instances_count, 2U);
  ASSERT_EQ(personality.processes[0].threads.size(), 2U);
  EXPECT_EQ(personality.processes[0].threads[0].instances_count, 3U);
  EXPECT_EQ(personality.processes[0].threads[1].flow.size(), 2U);
  EXPECT_EQ(personality.threads_count(), 2U * (3 + 1) + 1);
}

TEST(PersonalityReader, AnAttributeHasTheLastValueOfItsVariable) {
  const Personality personality = read(
      "set $count=10\n"
      "define fileset name=files,entries=$count\n"
      "define process name=p { thread name=t,instances=$threads { flowop statfile filesetname=files } }\n"
      "set $count=20\n"
      "set $threads=4\n");
  EXPECT_EQ(personality.file_sets[0].files_count.mean, 20);
  EXPECT_EQ(personality.file_sets[0].files_variable, "count");
  EXPECT_EQ(personality.threads_count(), 4U);
}

TEST(PersonalityReader, AVariableIsSetFromAnotherAsSetSoFar) {
  const Personality personality = read_with(
      "set $a=3\nset $b=$a\nset $a=5\n"
      "define fileset name=x,entries=$a\ndefine fileset name=y,entries=$b\n");
  EXPECT_EQ(personality.file_sets[0].files_count.mean, 5);
  EXPECT_EQ(personality.file_sets[1].files_count.mean, 3);
}

TEST(PersonalityReader, AVariableIsSetToTheResultOfAnOperation) {
  const std::vector<std::pair<const char*, double>> operations = {
      {"$a * 2", 14}, {"$a + 3", 10}, {"$a - 3", 4}, {"$a / 2", 3}, {"2 * $a", 14}, {"$a * $a", 49}};
  for (const auto& [operation, result] : operations) {
    const Personality personality =
        read_with(fmt::format("set $a=7\nset $b={}\ndefine fileset name=x,entries=$b\n", operation));
    EXPECT_EQ(personality.file_sets[0].files_count.mean, result) << operation;
  }
}

TEST(PersonalityReader, VariablesAreTruthValuesAndNamesToo) {
  const Personality personality = read(
      "set $name=files\nset $quoted=\"t\"\nset $direct=true\nset $sync=0\n"
      "define fileset name=$name,prealloc=$direct\n"
      "define process name=p { thread name=$quoted { flowop read "
      "filesetname=$name,iosize=1,directio=$direct,dsync=$sync } }\n");
  EXPECT_EQ(personality.file_sets[0].name, "files");
  EXPECT_EQ(personality.file_sets[0].allocated_fraction, 1);
  const ThreadSpec& thread = personality.processes[0].threads[0];
  EXPECT_EQ(thread.name, "t");
  EXPECT_TRUE(thread.flow[0].direct);
  EXPECT_FALSE(thread.flow[0].data_sync);
}

TEST(PersonalityReader, OverridesReplaceTheValuesOfTheText) {
  const Personality personality = read(
      "set $n=10\nset $m=$n * 3\ndefine fileset name=files,entries=$n\n"
      "define process name=p { thread name=t { flowop statfile filesetname=files,iters=$m } }\n",
      {{"n", 4}});
  EXPECT_EQ(personality.file_sets[0].files_count.mean, 4);
  EXPECT_EQ(personality.processes[0].threads[0].flow[0].iterations.mean, 12);
}

// Returns the number that a variable stands for.
Number variable(const std::string& statement) {
  const Personality personality = read_with(statement + "\ndefine fileset name=x,size=$x\n");
  return personality.file_sets.empty() ? Number{} : personality.file_sets[0].bytes;
}

TEST(PersonalityReader, ARandomVariableIsSetOrDefined) {
  for (const char* form : {"set $x=randvar({})", "define randvar name=$x,{}"}) {
    const auto with = [form](const char* attributes) {
      return variable(fmt::format(fmt::runtime(form), attributes));
    };
    const Number uniform = with("type=uniform,mean=30,min=10,seed=3,randsrc=urandom,round=5");
    EXPECT_EQ(uniform.distribution, Distribution::kUniform);
    EXPECT_EQ(uniform.lower, 10);
    EXPECT_EQ(uniform.upper, 50);
    EXPECT_EQ(uniform.round, 5);
    EXPECT_EQ(uniform.expected(), 30);
    const Number gamma = with("type=gamma,mean=100,min=20,gamma=2000");
    EXPECT_EQ(gamma.distribution, Distribution::kGamma);
    EXPECT_EQ(gamma.shape, 2);
    EXPECT_EQ(gamma.offset, 20);
    EXPECT_EQ(gamma.expected(), 100);
    const Number table = with("type=tabular,min=0,randtable={{0,0,0},{60,10,20},{40,30,50}}");
    EXPECT_EQ(table.distribution, Distribution::kTable);
    EXPECT_EQ(table.rows.size(), 3U);
    EXPECT_DOUBLE_EQ(table.expected(), 0.6 * 15 + 0.4 * 40);
  }
}

TEST(PersonalityReader, ARandomVariableIsGammaByDefaultWithItsShapeAsMean) {
  const Number number = variable("set $x=randvar(gamma=100)");
  EXPECT_EQ(number.distribution, Distribution::kGamma);
  EXPECT_DOUBLE_EQ(number.shape, 0.1);
  EXPECT_DOUBLE_EQ(number.expected(), 0.1);
}

TEST(PersonalityReader, ATableIsMovedToItsMinimumAndMean) {
  const Number number =
      variable("set $x=randvar(type=tabular,min=100,mean=300,randtable={{50,0,10},{50,10,30}})");
  // Least value 0 and mean 12.5 become 100 and 300.
  EXPECT_DOUBLE_EQ(number.rows[0].min, 100);
  EXPECT_DOUBLE_EQ(number.rows[1].max, 100 + 30 * 16.0);
  EXPECT_DOUBLE_EQ(number.expected(), 300);
}

TEST(PersonalityReader, CustomVariablesHaveTheirParameters) {
  struct Case {
    const char* type;
    const char* parameters;
    Distribution distribution;
    double expected;
  };
  const std::vector<Case> cases = {
      {"cvar-uniform", "lower:10;upper:30", Distribution::kUniform, 20},
      {"cvar-gamma", "mean:131072;gamma:1.5", Distribution::kGamma, 131072},
      {"cvar-exponential", "mean:5", Distribution::kExponential, 5},
      {"cvar-erlang", "shape:3;rate:0.5", Distribution::kErlang, 6},
      {"cvar-normal", "mean:100;sigma:10", Distribution::kNormal, 100},
      {"cvar-lognormal", "scale:2;shape:1", Distribution::kLognormal, std::exp(2.5)},
      {"cvar-weibull", "scale:7;shape:1", Distribution::kWeibull, 7},
      {"cvar-triangular", "lower:0;upper:9;mode:3", Distribution::kTriangular, 4}};
  for (const Case& one : cases) {
    const Number number = variable(
        fmt::format("set $x=cvar(type={},parameters={},min=1,max=1m,round=2)", one.type, one.parameters));
    EXPECT_EQ(number.distribution, one.distribution) << one.type;
    EXPECT_DOUBLE_EQ(number.expected(), one.expected) << one.type;
    EXPECT_EQ(number.min, 1);
    EXPECT_EQ(number.max, 1048576);
    EXPECT_EQ(number.round, 2);
  }
  EXPECT_EQ(variable("set $x=cvar(type=cvar-gamma)").expected(), 4096);
}

TEST(PersonalityReader, GroupsAreExpandedWithTheirArguments) {
  const Personality personality = read(
      "define fileset name=a\ndefine fileset name=b\nset $global=9\n"
      "define flowop name=visit,$set,$times=3,$size=$global {\n"
      "  flowop openfile name=o,filesetname=$set,fd=1\n"
      "  flowop read name=r,iosize=$size,fd=1,iters=$times\n"
      "  flowop closefile name=c,fd=1\n"
      "}\n"
      "define flowop name=both,iters=2,$many {\n"
      "  flowop visit name=first,$set=a,$times=$many\n"
      "  flowop visit name=second,iters=4,$set=b,$size=1k\n"
      "}\n"
      "define process name=p { thread name=t { flowop both name=whole,$many=5 flowop both "
      "name=again,$many=6,iters=7 } }\n");
  const std::vector<FlowSpec>& flow = personality.processes[0].threads[0].flow;
  ASSERT_EQ(flow.size(), 2U);
  EXPECT_EQ(flow[0].kind, FlowKind::kGroup);
  EXPECT_EQ(flow[0].name, "whole");
  EXPECT_EQ(flow[0].iterations.mean, 2);
  EXPECT_EQ(flow[1].iterations.mean, 7);
  ASSERT_EQ(flow[0].group.size(), 2U);
  const FlowSpec& first = flow[0].group[0];
  const FlowSpec& second = flow[0].group[1];
  EXPECT_EQ(first.group[0].file_set, 0);
  EXPECT_EQ(second.group[0].file_set, 1);
  EXPECT_EQ(first.group[1].iterations.mean, 5);
  EXPECT_EQ(flow[1].group[0].group[1].iterations.mean, 6);
  EXPECT_EQ(second.iterations.mean, 4);
  EXPECT_EQ(second.group[1].iterations.mean, 3);
  EXPECT_EQ(first.group[1].io_bytes.mean, 9);
  EXPECT_EQ(second.group[1].io_bytes.mean, 1024);
}

TEST(PersonalityReader, AnArgumentWithoutAValueHasItsDefault) {
  const Personality personality = read(
      "define flowop name=work,$n=8 { flowop hog value=$n }\n"
      "define process name=p { thread name=t { flowop work name=w,$n } }\n");
  EXPECT_EQ(personality.processes[0].threads[0].flow[0].group[0].value.mean, 8);
}

TEST(PersonalityReader, TheRunTimeIsThatOfRunOrPsrun) {
  EXPECT_EQ(read_with("").run_s, 60);
  EXPECT_EQ(read_with("run\n").run_s, 60);
  EXPECT_EQ(read_with("run 30\n").run_s, 30);
  EXPECT_EQ(read_with("set $time=7\nrun $time\n").run_s, 7);
  EXPECT_EQ(read_with("psrun\n").run_s, 60);
  EXPECT_EQ(read_with("psrun 10\n").run_s, 60);
  EXPECT_EQ(read_with("psrun -10\n").run_s, 60);
  EXPECT_EQ(read_with("psrun -10 25\n").run_s, 25);
  EXPECT_EQ(read_with("psrun 10 25\n").run_s, 25);
}

TEST(PersonalityReader, TheModeSaysWhenTheRunEnds) {
  EXPECT_EQ(read_with("").end_mode, EndMode::kTimeout);
  EXPECT_EQ(read_with("set mode quit timeout\n").end_mode, EndMode::kTimeout);
  EXPECT_EQ(read_with("set mode quit firstdone\n").end_mode, EndMode::kFirstDone);
  EXPECT_EQ(read_with("set mode quit alldone\nset mode nousestats\n").end_mode, EndMode::kAllDone);
}

TEST(PersonalityReader, EventsHaveARate) {
  EXPECT_EQ(read_with("").events_per_s.mean, 0);
  EXPECT_EQ(read_with("eventgen rate=25\n").events_per_s.mean, 25);
  EXPECT_EQ(read_with("eventgen rate=$rate\nset $rate=30\n").events_per_s.mean, 30);
}

TEST(PersonalityReader, StatementsWithoutAnEffectAreListed) {
  const Personality personality = read(std::string(kFiles) + kProcess +
                                       "echo \"Version $dir loaded\"\n"
                                       "  usage \"Usage: set \\$dir=<dir>\n and more lines\"\n"
                                       "create files\nsystem \"sync\"\nsleep 5\ndebug 3\nenable lathist\n"
                                       "stats snap\nshutdown processes\nversion\nquit\n");
  const std::vector<std::string> expected = {"echo at 3:1",     "usage at 4:3",  "create at 6:1",
                                             "system at 7:1",   "sleep at 8:1",  "debug at 9:1",
                                             "enable at 10:1",  "stats at 11:1", "shutdown at 12:1",
                                             "version at 13:1", "quit at 14:1"};
  EXPECT_EQ(personality.ignored, expected);
}

TEST(PersonalityReader, CommentsAndLinesMeanNothing) {
  const Personality personality = read(
      "# set $x=1\ndefine fileset name=files,\n  size=2k, # of each\n  entries=3\n"
      "define process\n name=p\n{\n thread name=t\n {\n # flowop hog value=1\n flowop "
      "statfile\nfilesetname=files }\n}");
  EXPECT_EQ(personality.file_sets[0].files_count.mean, 3);
  EXPECT_EQ(personality.processes[0].threads[0].flow.size(), 1U);
}

struct Mistake {
  const char* name;
  std::string text;
  const char* message;
};

class MistakeOfAPersonality : public testing::TestWithParam<Mistake> {};

TEST_P(MistakeOfAPersonality, HasItsPlaceAndSaysWhatIsWrong) {
  EXPECT_EQ(error_of(GetParam().text), std::string("file.f:") + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, MistakeOfAPersonality,
    testing::ValuesIn(std::vector<Mistake>{
        Mistake{"UnknownStatement", "set $x=1\n  frobnicate 5",
                "2:3: unknown statement 'frobnicate'; the statements are create, debug, define, echo, "
                "enable, eventgen, "
                "psrun, quit, run, set, shutdown, sleep, stats, system, usage, version"},
        Mistake{"NoStatement", "\n {", "2:2: expected a statement, not '{'"},
        Mistake{"NoProcess", "define fileset name=files\n",
                "2:1: no process is defined, so there is nothing to run"},
        Mistake{"UnknownDefinition", "define posset name=x",
                "1:8: cannot define 'posset'; only file, fileset, flowop, process and randvar"},
        Mistake{"UnknownAttributeOfAProcess", "define process name=p,colour=3 { }",
                "1:23: unknown attribute 'colour' of process; it has instances, name, nice"},
        Mistake{"UnknownMode", "set mode fast", "1:10: unknown mode 'fast'; the modes are nousestats, quit"},
        Mistake{"UnknownEnd", "set mode quit never",
                "1:15: unknown end 'never'; the ends are alldone, firstdone, timeout"},
        Mistake{"SetOfNoVariable", "set x=1", "1:5: expected a variable after 'set', not 'x'"},
        Mistake{"SetWithoutAValue", "set $x 5", "1:8: expected '=' after 'set $x', not '5'"},
        Mistake{"ValueIsASign", "set $x={", "1:8: expected a value, not '{'"},
        Mistake{"DivisionByZero", "set $x=5 / 0", "1:10: a division by 0"},
        Mistake{"OperationOnAName", "set $x=a * 2", "1:8: an operation needs a number, not 'a'"},
        Mistake{"ResultOutOfRange", "set $x=9999999t * 9999999t", "1:17: the result is out of range"},
        Mistake{"VariableNotSet", "define fileset name=files,\n  entries=$many",
                "2:11: variable '$many' is not set"},
        Mistake{"VariableSetFromOneThatIsSetBelow", "set $a=$b\nset $b=1", "1:8: variable '$b' is not set"},
        Mistake{"NameForANumber", "define fileset name=files,entries=many",
                "1:35: attribute 'entries' needs a number, not 'many'"},
        Mistake{"NumberWithoutAValue", "define fileset name=files,entries",
                "1:27: attribute 'entries' needs a value"},
        Mistake{"RandomForAConstant", "set $x=randvar(mean=5)\ndefine process name=p,instances=$x { }",
                "2:23: attribute 'instances' needs a constant"},
        Mistake{"NameForAFlag", "define fileset name=files,readonly=perhaps",
                "1:36: attribute 'readonly' needs a number, not 'perhaps'"},
        Mistake{"FlagForAName", "define fileset name", "1:16: attribute 'name' needs a name"},
        Mistake{"AttributeTwice", "define fileset name=a,name=b",
                "1:23: attribute 'name' of fileset is given twice"},
        Mistake{"AttributeIsASign",
                "define fileset name=a,=", "1:23: expected an attribute of fileset, not '='"},
        Mistake{"NoName", "define fileset entries=5", "1:8: fileset needs the attribute 'name'"},
        Mistake{"NameIsAPath", "define fileset name=a/b", "1:8: 'a/b' cannot be the name of a folder"},
        Mistake{"NameIsTheFolderAbove", "define fileset name=\"..\"",
                "1:8: '..' cannot be the name of a folder"},
        Mistake{"FileSetTwice", "define fileset name=a\ndefine file name=a",
                "2:8: file 'a' is defined twice"},
        Mistake{"PreallocAboveAll", "define fileset name=a,prealloc=101",
                "1:23: attribute 'prealloc' must be from 0 to 100, not 101"},
        Mistake{"TooManyFiles",
                "define fileset name=a,entries=30000000\ndefine fileset name=b,entries=30000000",
                "2:8: with fileset b there are more than 50000000 files and directories"},
        Mistake{"TooManyDirectories", "define fileset name=a,leafdirs=1t",
                "1:8: with fileset a there are more than 50000000 files and directories"},
        Mistake{"NoThread", "define process name=p { }", "1:8: process p has no thread"},
        Mistake{"NotAThread", "define process name=p { flowop }",
                "1:25: expected 'thread' or '}' in process p, not 'flowop'"},
        Mistake{"NoOperation", "define process name=p { thread name=t { } }",
                "1:25: thread t has no operation"},
        Mistake{"NoInstance", "define process name=p,instances=0 { }",
                "1:23: attribute 'instances' must be from 1 to 10000, not 0"},
        Mistake{"TooManyThreads",
                "define process name=p,instances=101 { thread name=t,instances=100 { flowop hog value=1 } }",
                "1:8: more than 10000 threads"},
        Mistake{"UnclosedProcess", "define process name=p {\nthread name=t { flowop hog value=1 }",
                "2:37: expected 'thread' or '}' in process p, not the end of the file"},
        Mistake{"UnclosedThread", "define process name=p { thread name=t {\nflowop hog value=1",
                "2:19: expected 'flowop' or '}' in thread t, not the end of the file"},
        Mistake{"UnclosedGroup", "define flowop name=g {\n flowop hog value=1",
                "2:2: this block has no closing '}'"},
        Mistake{"NoBlock", "define process name=p thread",
                "1:23: expected '{' after the attributes of process, not 'thread'"},
        Mistake{"UnclosedString", "echo \"x", "1:6: this string has no closing quote"},
        Mistake{"RunOfAName", "run -5", "1:5: run needs seconds from 0 to 100000000, not -5"},
        Mistake{"RateOfAName", "eventgen rate=fast", "1:15: attribute 'rate' needs a number, not 'fast'"},
        Mistake{"TypeOfRandvar", "set $x=randvar(type=cauchy)",
                "1:16: unknown type 'cauchy' of randvar; the types are gamma, tabular, uniform"},
        Mistake{"AttributeOfRandvar", "set $x=randvar(variance=5)",
                "1:16: unknown attribute 'variance' of randvar; it has gamma, mean, min, name, randsrc, "
                "randtable, "
                "round, seed, type"},
        Mistake{"UnclosedRandvar", "set $x=randvar(mean=5",
                "1:22: expected ')' after the variable's attributes, not the end of the file"},
        Mistake{"TabularWithoutATable", "set $x=randvar(type=tabular)",
                "1:16: a tabular randvar needs the attribute 'randtable'"},
        Mistake{"Percentages", "set $x=randvar(type=tabular,randtable={{50,1,2},{40,2,3}})",
                "1:39: the percentages of a table sum to 90, not to 100"},
        Mistake{"NegativePercentage", "set $x=randvar(type=tabular,randtable={{150,1,2},{-50,2,3}})",
                "1:39: a percentage of a table is below 0"},
        Mistake{"RowOfTwo", "set $x=randvar(type=tabular,randtable={{100,1}})",
                "1:46: expected ',' after a number of a table, not '}'"},
        Mistake{"RowBackwards", "set $x=randvar(type=tabular,randtable={{100,2,1}})",
                "1:39: a row of a table ends below its begin"},
        Mistake{"TypeOfCvar", "set $x=cvar(type=cvar-cauchy)",
                "1:13: unknown type 'cvar-cauchy' of cvar; the types are cvar-erlang, cvar-exponential, "
                "cvar-gamma, "
                "cvar-lognormal, cvar-normal, cvar-triangular, cvar-uniform, cvar-weibull"},
        Mistake{"ParameterOfCvar", "set $x=cvar(type=cvar-gamma,parameters=sigma:5)",
                "1:13: unknown parameter 'sigma' of cvar-gamma; it has gamma, mean"},
        Mistake{"NoParameterOfCvar", "set $x=cvar(type=cvar-gamma,parameters=mean)",
                "1:40: 'mean' is not NAME:NUMBER"},
        Mistake{"ShapeOfCvar", "set $x=cvar(type=cvar-gamma,parameters=gamma:0)",
                "1:13: the shape of a cvar must be above 0"},
        Mistake{"BoundsOfCvar", "set $x=cvar(type=cvar-uniform,parameters=lower:5;upper:4)",
                "1:13: the bounds of a cvar are in the wrong order"},
        Mistake{"ModeOfCvar", "set $x=cvar(type=cvar-triangular,parameters=lower:5;upper:9;mode:4)",
                "1:13: the bounds of a cvar are in the wrong order"},
        Mistake{"MeanOfCvar", "set $x=cvar(type=cvar-lognormal,parameters=scale:1000)",
                "1:13: the mean of a cvar is out of range"},
        Mistake{"RateOfCvar", "set $x=cvar(type=cvar-erlang,parameters=rate:0)",
                "1:13: the mean of a cvar is out of range"}}),
    [](const auto& mistake) { return mistake.param.name; });

TEST(PersonalityReader, AnOperationThatCouldNeverWorkIsRefused) {
  EXPECT_EQ(error_of_operation("flowop frob name=x"), "file.f:1:48: unknown operation 'frob'");
  EXPECT_NE(error_of_operation("flowop read speed=3,iosize=1")
                .find("1:53: unknown attribute 'speed' of flowop read"),
            std::string::npos);
  EXPECT_EQ(error_of_operation("flowop read iosize=1,filesetname=gone"),
            "file.f:1:62: flowop read: no file set 'gone' is defined before it");
  for (const char* word : {"openfile", "createfile", "fsyncset", "makedir", "removedir", "listdir"}) {
    EXPECT_EQ(error_of_operation(fmt::format("flowop {} name=o", word)),
              fmt::format("file.f:1:48: flowop {} needs the attribute 'filesetname'", word));
  }
  for (const char* word : {"read", "write", "appendfile", "appendfilerand", "aiowrite"}) {
    EXPECT_EQ(error_of_operation(fmt::format("flowop {} name=o", word)),
              fmt::format("file.f:1:48: flowop {} needs the attribute 'iosize'", word));
  }
  for (const char* word : {"wakeup", "sempost"}) {
    EXPECT_EQ(error_of_operation(fmt::format("flowop {} name=o", word)),
              fmt::format("file.f:1:48: flowop {} needs the attribute 'target'", word));
  }
  EXPECT_EQ(error_of_operation("flowop wakeup target=absent"),
            "file.f:1:48: the target 'absent' is not the name of an operation");
  EXPECT_EQ(error_of_operation("flowop closefile fd=128"),
            "file.f:1:58: attribute 'fd' must be from 0 to 127, not 128");
}

TEST(PersonalityReader, AFileSetIsDefinedBeforeItsUse) {
  EXPECT_EQ(error_of(std::string(kProcess) + kFiles),
            "file.f:1:57: flowop statfile: no file set 'files' is defined before it");
}

TEST(PersonalityReader, AGroupThatContainsItselfIsRefused) {
  EXPECT_EQ(error_of("define flowop name=a {\n flowop hog value=1\n flowop a name=again }\n"
                     "define process name=p { thread name=t { flowop a name=first } }"),
            "file.f:3:9: flowop a contains itself");
  EXPECT_EQ(error_of("define flowop name=a { flowop b name=x }\ndefine flowop name=b { flowop a name=y }\n"
                     "define process name=p { thread name=t { flowop a name=first } }"),
            "file.f:2:31: flowop a contains itself");
}

TEST(PersonalityReader, ArgumentsAreParametersOfTheGroup) {
  EXPECT_EQ(error_of("define flowop name=a,$x { flowop hog value=$x }\n"
                     "define process name=p { thread name=t { flowop a name=first,$y=5 } }"),
            "file.f:2:64: flowop a has no parameter '$y'");
  EXPECT_EQ(error_of("define flowop name=a,$x { flowop hog value=$x }\n"
                     "define process name=p { thread name=t { flowop a name=first } }"),
            "file.f:1:44: variable '$x' is not set");
}

// Each group uses the one before it ten times.
TEST(PersonalityReader, GroupsThatExpandToTooManyOperationsAreRefused) {
  std::string text = "define flowop name=g0 { flowop hog value=1 }\n";
  for (int i = 1; i <= 9; ++i) {
    text += fmt::format("define flowop name=g{} {{", i);
    for (int j = 0; j < 10; ++j) text += fmt::format(" flowop g{} name=x", i - 1);
    text += " }\n";
  }
  const std::string error = error_of(text + "define process name=p { thread name=t { flowop g9 name=x } }");
  EXPECT_NE(error.find("more than 100000 operations in all threads together"), std::string::npos) << error;
}

TEST(PersonalityReader, GroupsThatAreNestedTooDeepAreRefused) {
  std::string text = "define flowop name=g0 { flowop hog value=1 }\n";
  for (int i = 1; i <= 20; ++i)
    text += fmt::format("define flowop name=g{} {{ flowop g{} name=x }}\n", i, i - 1);
  const std::string error = error_of(text + "define process name=p { thread name=t { flowop g20 name=x } }");
  EXPECT_NE(error.find("flowop g4 is more than 16 flowops deep"), std::string::npos) << error;
}

}  // namespace
}  // namespace patina
