// The calls on a socket: what each gives, what is refused, and what an end in the middle leaves.
#include "shingle_server/serve.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>

#include "shingle/caveat_disk.h"
#include "shingle_server/call_server.h"
#include "testing/call_testing.h"

namespace patina {
namespace {

using Json = CallClient::Json;

constexpr uint64_t kSector = CaveatGeometry::kSectorBytes;
constexpr uint64_t kSectorsCount = 200;

class ServeTest : public testing::Test {
 protected:
  void SetUp() override { write_at(data(), kSectorsCount * kSector - 1, std::string(1, '\0')); }

  std::string data() const { return folder_ / "data"; }
  std::string state() const { return folder_ / "state"; }
  std::string socket() const { return folder_ / "socket"; }
  ServeOptions options(const NewDisk& disk = {}) const { return {data(), state(), socket(), disk}; }
  static std::string sectors(uint64_t count, char content) { return std::string(count * kSector, content); }

  const ScratchFolder folder_;
};

TEST_F(ServeTest, ADiskIsMadeByCreateAndThenOpen) {
  CallService service(options({.did_blocks = 4, .dnor_blocks = 1, .unshingled_bytes = 10 * kSector}));
  CallClient client(socket());
  for (const char* type : {"open", "modesense", "read", "flush", "nonsense"}) {
    EXPECT_EQ(client.ask({{"type", type}}).code(), "backing_invalid") << type;
  }
  const Json made = client.ask({{"type", "create"}, {"did_sectors", 6}}).fields;
  const Json expected = {{"type", "done"},
                         {"interface", "caveat"},
                         {"sector_bytes", 4096},
                         {"most_data_bytes", 4194304},
                         {"sectors_count", kSectorsCount},
                         {"did_sectors", 6},
                         {"dnor_sectors", 1},
                         {"unshingled_sectors", 10},
                         {"damaged_sectors_count", kSectorsCount}};
  EXPECT_EQ(made, expected);
  EXPECT_EQ(client.ask({{"type", "open"}}).fields, expected);
  EXPECT_EQ(client.ask({{"type", "modesense"}}).fields, expected);
  EXPECT_EQ(client.ask({{"type", "create"}}).code(), "backing_invalid");
  service.restart();
  EXPECT_EQ(CallClient(socket()).ask({{"type", "open"}}).fields, expected);
}

TEST_F(ServeTest, TheCallsOfCaveatScriptor) {
  CallService service(options({.did_blocks = 4}));
  CallClient client(socket());
  client.ask({{"type", "create"}});
  const auto read = [&](uint64_t sector, uint64_t count) {
    return client.ask({{"type", "read"}, {"sector", sector}, {"sectors_count", count}});
  };
  EXPECT_EQ(read(7, 1).code(), "maybe_damaged");
  EXPECT_EQ(client.ask({{"type", "write"}, {"sector", 7}}, sectors(3, 'a')).fields["type"], "done");
  EXPECT_EQ(client.ask({{"type", "position"}}).fields["sector"], 10);
  EXPECT_EQ(read(7, 3).data, sectors(3, 'a'));
  EXPECT_EQ(client.ask({{"type", "dump"}}).fields["runs"], Json::parse("[[0,7],[10,190]]"));
  EXPECT_EQ(client.ask({{"type", "dump"}, {"sector", 8}, {"runs_count", 1}}).fields["runs"],
            Json::parse("[[10,190]]"));
  EXPECT_EQ(client.ask({{"type", "flush"}}).fields["type"], "done");
  EXPECT_EQ(client.ask({{"type", "managebands"}}).code(), "usage");
}

TEST_F(ServeTest, TheCallsOfStrictAppend) {
  CallService service(
      options({.interface = DiskInterface::kStrictAppend, .did_blocks = 2, .band_bytes = 48 * kSector}));
  CallClient client(socket());
  EXPECT_EQ(client.ask({{"type", "create"}}).fields["bands_count"], 4);
  const auto manage = [&](const char* action, Json fields = Json::object()) {
    fields.update(Json{{"type", "managebands"}, {"action", action}});
    return client.ask(fields);
  };
  EXPECT_EQ(client.ask({{"type", "write"}, {"band", 2}}, sectors(5, 'a')).fields["sector"], 0);
  EXPECT_EQ(client.ask({{"type", "write"}, {"band", 2}}, sectors(5, 'b')).fields["sector"], 5);
  const auto read = [&](uint64_t sector, uint64_t count) {
    return client.ask({{"type", "read"}, {"band", 2}, {"sector", sector}, {"sectors_count", count}});
  };
  EXPECT_EQ(read(4, 2).data, sectors(1, 'a') + sectors(1, 'b'));
  EXPECT_EQ(read(9, 2).code(), "maybe_damaged");
  EXPECT_EQ(client.ask({{"type", "write"}, {"band", 2}}, sectors(39, 'c')).code(), "no_space");
  EXPECT_EQ(manage("get", {{"band", 2}}).fields["cursors"], Json::parse("[10]"));
  EXPECT_EQ(manage("set", {{"band", 2}, {"cursor", 3}}).fields["type"], "done");
  EXPECT_EQ(manage("get", {{"band", 0}, {"bands_count", 4}}).fields["cursors"], Json::parse("[0,0,3,0]"));
  EXPECT_EQ(manage("set", {{"band", 2}, {"cursor", 4}}).code(), "usage");
  EXPECT_EQ(manage("reset", {{"band", 2}}).fields["type"], "done");
  EXPECT_EQ(client.ask({{"type", "write"}, {"band", 3}}, sectors(1, 'd')).fields["sector"], 0);
  EXPECT_EQ(manage("reset_all").fields["type"], "done");
  EXPECT_EQ(manage("get", {{"band", 0}, {"bands_count", 4}}).fields["cursors"], Json::parse("[0,0,0,0]"));
  for (const auto& [action, fields] :
       std::vector<std::pair<const char*, Json>>{{"get", {{"band", 4}}},
                                                 {"get", {{"band", 3}, {"bands_count", 2}}},
                                                 {"get", Json::object()},
                                                 {"erase", Json::object()},
                                                 {"set", {{"band", 1}}},
                                                 {"reset_all", {{"band", 1}}}}) {
    EXPECT_EQ(manage(action, fields).code(), "usage") << action << fields;
  }
  EXPECT_EQ(client.ask({{"type", "position"}}).code(), "usage");
  service.restart();
  EXPECT_EQ(CallClient(socket()).ask({{"type", "open"}}).fields["interface"], "strict-append");
}

TEST_F(ServeTest, ACreateMayHaveItsGeometry) {
  CallService service(options({.size_bytes = 4096}));
  CallClient client(socket());
  const auto refused = [&client](Json fields) {
    fields["type"] = "create";
    return client.ask(fields).code();
  };
  EXPECT_EQ(refused({{"sectors_count", kSectorsCount + 1}}), "device_too_small");
  EXPECT_EQ(refused({{"sectors_count", 0}}), "usage");
  EXPECT_EQ(refused({{"dnor_sectors", 17}}), "usage");
  EXPECT_EQ(refused({{"unshingled_sectors", 2}}), "usage");
  EXPECT_EQ(refused({{"bands_count", 2}}), "usage");  // a disk of the other interface has bands
  EXPECT_EQ(refused({{"unwritten", "ones"}}), "usage");
  EXPECT_EQ(refused({{"interface", "zoned"}}), "usage");
  EXPECT_EQ(refused({{"interface", "strict-append"}}), "usage");  // not two bands
  EXPECT_EQ(
      refused(
          {{"interface", "strict-append"}, {"bands_count", 3}, {"band_sectors", 100}, {"gap_sectors", 0}}),
      "device_too_small");
  const Json made = client
                        .ask({{"type", "create"},
                              {"interface", "strict-append"},
                              {"bands_count", 1},
                              {"band_sectors", 200},
                              {"gap_sectors", 0}})
                        .fields;
  EXPECT_EQ(made["bands_count"], 1) << made;
}

TEST_F(ServeTest, ADiskOfZeroesIsReadBeforeItIsWritten) {
  write_at(data(), 0, sectors(kSectorsCount, 'x'));
  CallService service(options());
  CallClient client(socket());
  EXPECT_EQ(client.ask({{"type", "create"}, {"unwritten", "zeroes"}}).fields["damaged_sectors_count"], 0);
  EXPECT_EQ(client.ask({{"type", "read"}, {"sector", 0}, {"sectors_count", kSectorsCount}}).data,
            sectors(kSectorsCount, '\0'));
}

TEST_F(ServeTest, AWrongRequestIsAnsweredAndTheNextOneToo) {
  CallService service(options());
  CallClient client(socket());
  client.ask({{"type", "create"}});
  const std::vector<std::pair<Json, std::string>> wrong = {
      {{{"type", "nonsense"}}, ""},
      {{{"type", 7}}, ""},
      {Json::object(), ""},
      {{{"type", "write"}, {"sector", 0}}, ""},     // no data
      {{{"type", "write"}, {"sector", 0}}, "abc"},  // not whole sectors
      {{{"type", "write"}, {"sector", kSectorsCount}}, sectors(1, 'a')},
      {{{"type", "write"}, {"sector", -1}}, sectors(1, 'a')},
      {{{"type", "write"}}, sectors(1, 'a')},  // no sector
      {{{"type", "write"}, {"sector", 0}, {"sektor", 1}}, sectors(1, 'a')},
      {{{"type", "write"}, {"sector", {{"a", 1}}}}, sectors(1, 'a')},
      {{{"type", "read"}, {"sector", 0}, {"sectors_count", 0}}, ""},
      {{{"type", "read"}, {"sector", 0}, {"sectors_count", 1025}}, ""},
      {{{"type", "read"}, {"sector", 0}, {"sectors_count", 1}}, "data"},
      {{{"type", "position"}, {"sector", 1}}, ""},
      {{{"type", "flush"}, {"sector", 1}}, ""},
      {{{"type", "open"}, {"sector", 1}}, ""},
      {{{"type", "dump"}, {"runs_count", 1001}}, ""},
  };
  for (const auto& [request, bytes] : wrong) {
    const CallClient::Reply reply = client.ask(request, bytes);
    EXPECT_EQ(reply.code(), "usage") << request;
    EXPECT_FALSE(reply.message().empty()) << request;
  }
  EXPECT_EQ(client.ask({{"type", "modesense"}}).fields["damaged_sectors_count"], kSectorsCount);
  EXPECT_EQ(service.stop()["errors_count"], wrong.size());
}

TEST_F(ServeTest, ARequestWhoseEndIsUnknownEndsItsConnectionOnly) {
  CallService service(options());
  CallClient other(socket());
  other.ask({{"type", "create"}});
  const std::vector<std::pair<std::string, const char*>> unknown = {
      {"no JSON\n", "one JSON object"},
      {"[1]\n", "one JSON object"},
      {std::string(CallReader::kMostDataBytes, 'x'), "more than 65536 bytes"},
      {std::string(70'000, 'x') + "\n", "more than 65536 bytes"},
      {std::string(32'000, '[') + "\n", "one JSON object"},
      {"{\"type\":\"write\",\"sector\":0,\"data_bytes\":4194305}\n", "where the data ends is unknown"},
      {"{\"type\":\"write\",\"sector\":0,\"data_bytes\":-1}\n", "where the data ends is unknown"},
      {"{\"type\":\"write\",\"sector\":0,\"data_bytes\":\"4096\"}\n", "where the data ends is unknown"}};
  for (const auto& [bytes, message] : unknown) {
    CallClient client(socket());
    client.send_raw(bytes);
    client.send({{"type", "modesense"}});
    const CallClient::Reply reply = client.receive();
    EXPECT_EQ(reply.code(), "usage");
    EXPECT_NE(reply.message().find(message), std::string::npos) << reply.message();
    EXPECT_EQ(client.receive().code(), "ended");
  }
  EXPECT_EQ(other.ask({{"type", "modesense"}}).fields["damaged_sectors_count"], kSectorsCount);
}

TEST_F(ServeTest, AFieldThatIsNestedIsRefused) {
  CallService service(options());
  CallClient client(socket());
  const std::string deep = std::string(30'000, '[') + std::string(30'000, ']');
  client.send_raw("{\"type\":\"open\",\"sector\":" + deep + "}\n");
  EXPECT_EQ(client.receive().code(), "usage");
  EXPECT_EQ(client.ask({{"type", "create"}}).fields["type"], "done");
}

TEST_F(ServeTest, AClientThatEndsInTheMiddleChangesNothing) {
  CallService service(options());
  CallClient other(socket());
  other.ask({{"type", "create"}});
  const std::string line = "{\"type\":\"write\",\"sector\":0,\"data_bytes\":8192}\n";
  for (const std::string& bytes : {line.substr(0, 10), line, line + sectors(1, 'a')}) {
    CallClient client(socket());
    client.send_raw(bytes);
    client.end_sending();
    EXPECT_EQ(client.receive().code(), "usage");
    EXPECT_EQ(client.receive().code(), "ended");
  }
  {
    CallClient(socket()).send_raw(line + sectors(1, 'a'));
  }  // it does not wait for the answer
  EXPECT_EQ(other.ask({{"type", "modesense"}}).fields["damaged_sectors_count"], kSectorsCount);
}

TEST_F(ServeTest, SeveralClientsAppendAtOnceAndEachLearnsWhere) {
  CallService service(
      options({.interface = DiskInterface::kStrictAppend, .did_blocks = 0, .band_bytes = 100 * kSector}));
  CallClient(socket()).ask({{"type", "create"}});
  std::vector<std::thread> writers;
  for (char name = 'a'; name < 'i'; ++name) {
    writers.emplace_back([this, name] {
      CallClient client(socket());
      for (int i = 0; i < 12; ++i) {
        const auto sector = client.ask({{"type", "write"}, {"band", 1}}, sectors(1, name)).fields["sector"];
        const Json read = {{"type", "read"}, {"band", 1}, {"sector", sector}, {"sectors_count", 1}};
        EXPECT_EQ(client.ask(read).data, sectors(1, name));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  const Json get = {{"type", "managebands"}, {"action", "get"}, {"band", 1}};
  EXPECT_EQ(CallClient(socket()).ask(get).fields["cursors"], Json::parse("[96]"));
}

TEST_F(ServeTest, MoreClientsThanAreServedAtOnceWait) {
  CallService service(options());
  std::vector<std::unique_ptr<CallClient>> clients;
  for (size_t i = 0; i <= CallServer::kMostClients; ++i)
    clients.push_back(std::make_unique<CallClient>(socket()));
  clients.back()->send({{"type", "create"}});
  for (size_t i = 0; i < CallServer::kMostClients; ++i) {
    EXPECT_EQ(clients[i]->ask({{"type", "open"}}).code(), "backing_invalid");
  }
  clients.front().reset();
  EXPECT_EQ(clients.back()->receive().fields["type"], "done");
}

// What was received as a whole is answered; the client in the middle of a request gets an error.
TEST_F(ServeTest, AStopAnswersWhatIsUnderWay) {
  CallService service(options());
  CallClient client(socket());
  CallClient slow(socket());
  client.ask({{"type", "create"}, {"did_sectors", 0}});
  slow.ask({{"type", "open"}});
  constexpr uint64_t kWrites = 30;
  for (uint64_t i = 0; i < kWrites; ++i) client.send({{"type", "write"}, {"sector", i}}, sectors(1, 'a'));
  slow.send_raw("{\"type\":\"write\",\"sector\":100,\"data_bytes\":4096}\nabc");
  const Json summary = service.stop();
  for (uint64_t i = 0; i < kWrites; ++i) EXPECT_EQ(client.receive().fields["type"], "done") << i;
  EXPECT_EQ(client.receive().code(), "ended");
  EXPECT_EQ(slow.receive().code(), "canceled");
  EXPECT_EQ(summary["requests_count"], kWrites + 2);
  EXPECT_EQ(summary["clients_count"], 2);
  EXPECT_FALSE(std::filesystem::exists(socket()));
  const auto disk = CaveatDisk::open(data(), state());
  ASSERT_TRUE(disk.ok());
  EXPECT_EQ((*disk)->damaged_count(), kSectorsCount - kWrites);
}

TEST_F(ServeTest, AStopLeavesAClientThatTakesNoAnswer) {
  CallService service(options());
  CallClient client(socket());
  client.ask({{"type", "create"}, {"unwritten", "zeroes"}});
  for (int i = 0; i < 10; ++i)
    client.send({{"type", "read"}, {"sector", 0}, {"sectors_count", kSectorsCount}});
  EXPECT_EQ(service.stop()["type"], "summary");
}

TEST_F(ServeTest, ADiskThatIsServedIsNotServedTwice) {
  CallService service(options());
  CollectingSink sink;
  const std::atomic<bool> stop = false;
  ServeOptions again = options();
  again.socket = folder_ / "other";
  EXPECT_EQ(run_serve(again, sink, stop).error().code, ErrorCode::kBackingInvalid);
  again.data = folder_ / "data2";
  EXPECT_EQ(run_serve(again, sink, stop).error().code, ErrorCode::kBackingInvalid);  // there is none
  write_at(again.data, 0, "a");
  again.socket = socket();
  const Status live = run_serve(again, sink, stop);
  EXPECT_NE(live.error().message.find("another process listens"), std::string::npos) << live.error().message;
  again.state = data();
  EXPECT_EQ(run_serve(again, sink, stop).error().code, ErrorCode::kBackingInvalid);  // no map
}

// The program itself, and its signal.
TEST_F(ServeTest, TheCommandServesUntilSigterm) {
  const std::string output = folder_ / "output";
  const int fd = ::open(output.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const pid_t pid = spawn_program({kCoreProgram, "shingle", "serve", "--data", data(), "--state", state(),
                                   "--socket", socket(), "--did", "4"},
                                  fd);
  ::close(fd);
  wait_until("the service is ready",
             [&] { return read_whole_file(output).find("ready") != std::string::npos; });
  struct stat found = {};
  ASSERT_EQ(::stat(socket().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
  CallClient client(socket());
  EXPECT_EQ(client.ask({{"type", "create"}}).fields["did_sectors"], 4);
  ::kill(pid, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
  EXPECT_NE(
      read_whole_file(output).find("\"command\":\"shingle serve\",\"clients_count\":1,\"requests_count\":1"),
      std::string::npos)
      << read_whole_file(output);
  EXPECT_FALSE(std::filesystem::exists(socket()));
}

}  // namespace
}  // namespace patina
