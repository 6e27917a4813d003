#include "jar/namespaces/backend.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jar/namespaces/testing/world.h"

namespace belljar::jar {
namespace {

using testing::await_exit;
using ::testing::HasSubstr;
using testing::run;
using testing::shell;
using testing::World;

class NamespaceBackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (auto why = testing::unavailable(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(NamespaceBackendTest, RunsProgramsAndReportsTheirEnds) {
  testing::as_each_user([](World& world) {
    auto jar = world.start();
    ASSERT_TRUE(jar.ok()) << jar.error().to_string();
    EXPECT_EQ(run(**jar, {"true"}).code, 0);
    EXPECT_EQ(shell(**jar, "exit 42").code, 42);
    EXPECT_EQ(shell(**jar, "kill -TERM $$").code, 128 + SIGTERM);
    EXPECT_EQ(shell(**jar, "printf out; printf err >&2").output, "outerr");
    EXPECT_TRUE((*jar)->stop().ok());
    EXPECT_EQ((*jar)->next_exit().error().code(), ErrorCode::closed);
  });
}

TEST_F(NamespaceBackendTest, NamesAProgramThatCannotRun) {
  testing::as_each_user([](World& world) {
    auto jar = world.start().value();
    auto missing = jar->exec({.arguments = {"no-such-program"}, .environment = {"PATH=/usr/bin"}});
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.error().code(), ErrorCode::not_found);
    EXPECT_THAT(missing.error().to_string(), HasSubstr("no-such-program"));
    auto directory = jar->exec({.arguments = {"/usr"}});
    ASSERT_FALSE(directory.ok());
    EXPECT_EQ(directory.error().code(), ErrorCode::permission_denied);
    auto nowhere = jar->exec({.arguments = {"true"}, .working_directory = "/no/where"});
    EXPECT_THAT(nowhere.error().to_string(), HasSubstr("/no/where"));
    EXPECT_EQ(nowhere.error().code(), ErrorCode::system);  // which is not: a missing program
    EXPECT_EQ(run(*jar, {"true"}).code, 0);                // and goes on
  });
}

TEST_F(NamespaceBackendTest, AWorkspaceIsNotReachedThroughALinkThatCameSinceItWasChecked) {
  testing::as_each_user([](World& world) {
    ASSERT_TRUE(World::host("mkdir -p " + world.path("real/below") + " && ln -s real " + world.path("link")));
    auto spec = world.spec();
    spec.workspace = world.path("link/below");
    auto jar = world.backend().start(spec);
    ASSERT_FALSE(jar.ok());
    EXPECT_THAT(jar.error().to_string(), HasSubstr("symbolic links"));
    spec.workspace = world.path("real/below");
    EXPECT_TRUE(world.backend().start(spec).ok());
  });
}

TEST_F(NamespaceBackendTest, ProgramsHaveNoRightsToSpeakOf) {
  testing::as_each_user([](World& world) {
    auto jar = world.start().value();
    auto status = run(*jar, {"cat", "/proc/self/status"}).output;
    for (const auto* line :
         {"CapEff:\t00000000200405fb", "CapBnd:\t00000000200405fb", "CapAmb:\t0000000000000000",
          "CapInh:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"})
      EXPECT_THAT(status, HasSubstr(line));
    EXPECT_EQ(shell(*jar, "cat /proc/sys/user/max_user_namespaces").output, "0\n");
    // 0–2 and the one that lists.
    EXPECT_EQ(shell(*jar, "for n in /proc/self/fd/*; do printf '%s ' ${n##*/}; done").output, "0 1 2 3 ");
  });
}

TEST_F(NamespaceBackendTest, EveryNamespaceIsTheJarsOwn) {
  testing::as_each_user([](World& world) {
    auto jar = world.start().value();
    for (std::string kind : {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"}) {
      char outside[64] = {};
      ASSERT_GT(::readlink(("/proc/self/ns/" + kind).c_str(), outside, sizeof outside - 1), 0);
      auto inside = run(*jar, {"readlink", "/proc/self/ns/" + kind}).output;
      EXPECT_THAT(inside, HasSubstr(kind + ":["));
      EXPECT_NE(inside, std::string(outside) + "\n");
    }
    EXPECT_EQ(run(*jar, {"hostname"}).output, "test\n");
  });
}

TEST_F(NamespaceBackendTest, TheHostsPersonalPlacesAreNotThere) {
  testing::as_each_user([](World& world) {
    auto jar = world.start().value();
    EXPECT_EQ(shell(*jar, "ls /home").output, "somebody\n");
    EXPECT_EQ(shell(*jar, "ls -A /srv /mnt /media /sys /run/lock").output,
              "/media:\n\n/mnt:\n\n/run/lock:\n\n/srv:\n\n/sys:\n");
    EXPECT_EQ(shell(*jar, "ls /root /boot /run/user /var/run/docker.sock /run/systemd 2>/dev/null").output,
              "");
    EXPECT_EQ(shell(*jar, "cat /etc/shadow /etc/sudoers").code, 1);
    EXPECT_EQ(shell(*jar, "whoami; cat /etc/hostname").output, "somebody\ntest\n");
    EXPECT_EQ(shell(*jar, "ps ax -o pid= | head -1 | tr -d ' '; cat /proc/1/comm").output,
              "1\nbelljar-init\n");
  });
}

TEST_F(NamespaceBackendTest, OnlyItsOwnPlacesAreWritable) {
  testing::as_each_user([](World& world) {
    auto jar = world.start().value();
    for (std::string place : {"/", "/usr", "/etc", "/dev", "/opt", "/run/belljar", "/proc/sys/kernel"})
      EXPECT_NE(shell(*jar, "touch " + place + "/x").code, 0) << place;
    for (std::string place : {"/tmp", "/var/tmp", "/run", "/dev/shm", "/home/somebody", "."})
      EXPECT_EQ(shell(*jar, "cd " + world.path("project") + " && echo x > " + place + "/x").code, 0) << place;
    struct stat made {
    }, own{};
    ASSERT_EQ(::stat(world.path("project/x").c_str(), &made), 0);
    ASSERT_EQ(::stat(world.path("project").c_str(), &own), 0);
    EXPECT_EQ(made.st_uid, own.st_uid);
    EXPECT_EQ(made.st_gid, own.st_gid);
  });
}

TEST_F(NamespaceBackendTest, TheHomeStaysAndTheRestGoes) {
  testing::as_each_user([](World& world) {
    {
      auto jar = world.start().value();
      EXPECT_EQ(shell(*jar, "echo kept > ~/note; echo lost > /tmp/note").code, 0);
    }
    auto jar = world.start().value();
    EXPECT_EQ(shell(*jar, "cat ~/note").output, "kept\n");
    EXPECT_NE(shell(*jar, "cat /tmp/note").code, 0);
  });
}

TEST_F(NamespaceBackendTest, TrustsTheJarsAuthority) {
  testing::as_each_user([](World& world) {
    auto jar = world.start().value();
    EXPECT_THAT(shell(*jar, "cat /etc/ssl/certs/ca-certificates.crt").output, HasSubstr("the jar's own"));
    EXPECT_THAT(shell(*jar, "cat /etc/ssl/certs/0a1b2c3d.0").output, HasSubstr("the jar's own"));
    EXPECT_EQ(shell(*jar, "grep nameserver /etc/resolv.conf").output, "nameserver 127.0.0.1\n");
  });
}

TEST_F(NamespaceBackendTest, AProgramIsShownWithoutItsSurroundings) {
  testing::as_each_user([](World& world) {
    auto home = world.path("hosthome");
    world.write("hosthome/tools/agent/run", "#!/bin/sh\necho agent\n");
    world.write("hosthome/tools/secret", "s");
    World::host("chmod -R u=rwX,go= " + home + " && chmod 700 " + home + "/tools/agent/run");
    auto spec = world.spec();
    spec.home = home;  // as agents are found: in the very home that the jar replaces
    spec.programs.push_back({home + "/tools/agent"});
    auto jar = world.backend().start(spec);
    ASSERT_TRUE(jar.ok()) << jar.error().to_string();
    EXPECT_EQ(shell(**jar, home + "/tools/agent/run").output, "agent\n");
    EXPECT_EQ(shell(**jar, "ls " + home + "/tools").output, "agent\n");
    EXPECT_NE(shell(**jar, "touch " + home + "/tools/agent/x").code, 0);
  });
}

TEST_F(NamespaceBackendTest, ATerminalIsTheProgramsOwn) {
  testing::as_each_user([](World& world) {
    auto jar = world.start().value();
    ExecRequest request;
    request.arguments = {"/bin/sh", "-c", "tty; stty size; read line; echo got $line; stty size"};
    request.environment = {"PATH=/usr/bin:/bin"};
    request.terminal = TerminalSize{40, 100};
    auto execution = jar->exec(request);
    ASSERT_TRUE(execution.ok()) << execution.error().to_string();
    int master = execution->terminal.get();
    std::string text;
    auto read_until = [&](const std::string& end) {
      char chunk[512];
      while (text.find(end) == std::string::npos) {
        pollfd event{master, POLLIN, 0};
        if (::poll(&event, 1, 10'000) <= 0) break;
        auto count = ::read(master, chunk, sizeof chunk);
        if (count <= 0) break;
        text.append(chunk, static_cast<std::size_t>(count));
      }
    };
    read_until("40 100");
    EXPECT_THAT(text, HasSubstr("/dev/pts/"));
    EXPECT_TRUE(jar->resize(execution->id, {50, 120}).ok());
    ASSERT_TRUE(os::write_all(master, as_bytes("words\n")).ok());
    read_until("50 120");
    EXPECT_THAT(text, HasSubstr("got words"));
    EXPECT_EQ(await_exit(*jar).value().exit.shell_code(), 0);
  });
}

TEST_F(NamespaceBackendTest, TakesNoDescriptorThatLeadsOut) {
  testing::as_each_user([](World& world) {
    auto jar = world.start().value();
    for (const auto* path : {"/etc/passwd", "/", "/dev/ptmx"}) {
      auto file = os::open_file(path, O_RDONLY | O_NOCTTY).value();
      ExecRequest request;
      request.arguments = {"true"};
      request.standard[0] = file.get();
      auto started = jar->exec(request);
      ASSERT_FALSE(started.ok()) << path;
      EXPECT_EQ(started.error().code(), ErrorCode::invalid_argument);
    }
  });
}

TEST_F(NamespaceBackendTest, PassesSignals) {
  testing::as_each_user([](World& world) {
    auto jar = world.start().value();
    auto pipe = os::create_pipe().value();
    ExecRequest request;
    request.arguments = {"/bin/sh", "-c", "trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done"};
    request.environment = {"PATH=/usr/bin:/bin"};
    request.standard[1] = pipe.second.get();
    auto execution = jar->exec(request).value();
    pipe.second.reset();
    char ready[6] = {};
    ASSERT_EQ(::read(pipe.first.get(), ready, sizeof ready), 6);
    ASSERT_TRUE(jar->signal(execution.id, SIGTERM).ok());
    auto ended = await_exit(*jar).value();
    EXPECT_EQ(ended.execution, execution.id);
    EXPECT_EQ(ended.exit.code, 7);
  });
}

/// Both come to init at once: the end of the jar's program, and a request that it does not read any more.
TEST_F(NamespaceBackendTest, TellsHowTheLastProgramEndedThoughARequestIsUnread) {
  testing::as_each_user([](World& world) {
    auto jar = world.start().value();
    ExecRequest request;
    request.arguments = {"/bin/sh", "-c", "sleep 0.2; exit 7"};
    request.environment = {"PATH=/usr/bin:/bin"};
    request.ends_jar = true;
    auto execution = jar->exec(request).value();
    ASSERT_EQ(::kill(jar->first_process(), SIGSTOP), 0);
    ::usleep(500'000);
    ASSERT_TRUE(jar->signal(execution.id, SIGHUP).ok());
    ASSERT_EQ(::kill(jar->first_process(), SIGCONT), 0);
    ::usleep(200'000);  // it has ended before anything is read
    auto ended = await_exit(*jar);
    ASSERT_TRUE(ended.ok()) << ended.error().to_string();
    EXPECT_EQ(ended->exit.code, 7);
    EXPECT_FALSE(await_exit(*jar).ok());  // and the jar with it
  });
}

/// A pipe whose write end only programs of the jar hold: its read end tells when they are all gone.
Result<os::Fd> hold_pipe(RunningJar& jar, const std::string& script) {
  auto pipe = TRY(os::create_pipe());
  ExecRequest request;
  request.arguments = {"/bin/sh", "-c", script};
  request.environment = {"PATH=/usr/bin:/bin"};
  request.standard[1] = pipe.second.get();
  (void)TRY(jar.exec(request));
  return std::move(pipe.first);
}

bool closes_within(int fd, int milliseconds) {
  pollfd event{fd, POLLIN, 0};
  return ::poll(&event, 1, milliseconds) == 1 && (event.revents & POLLHUP) != 0;
}

TEST_F(NamespaceBackendTest, StoppingEndsEveryProcess) {
  testing::as_each_user([](World& world) {
    auto jar = world.start().value();
    auto held = hold_pipe(*jar, "trap '' TERM HUP INT; (setsid sleep 1000 &) ; sleep 1000 & wait").value();
    EXPECT_FALSE(closes_within(held.get(), 100));
    EXPECT_TRUE(jar->stop().ok());
    EXPECT_TRUE(closes_within(held.get(), 0));  // at once: stop() waited for them
  });
}

TEST_F(NamespaceBackendTest, TheJarDiesWithItsKeeper) {
  testing::as_each_user([](World& world) {
    auto pipe = os::create_pipe().value();
    pid_t keeper = ::fork();
    if (keeper == 0) {
      auto jar = world.start();
      ExecRequest request;
      request.arguments = {"/bin/sh", "-c", "echo ready; (setsid sleep 1000 &); sleep 1000"};
      request.environment = {"PATH=/usr/bin:/bin"};
      request.standard[1] = pipe.second.get();
      if (!jar || !(*jar)->exec(request)) ::_exit(1);
      while (true)
        ::pause();
    }
    pipe.second.reset();
    char ready[6] = {};
    ASSERT_EQ(::read(pipe.first.get(), ready, sizeof ready), 6);
    ::kill(keeper, SIGKILL);
    ::waitpid(keeper, nullptr, 0);
    EXPECT_TRUE(closes_within(pipe.first.get(), 5000));
    EXPECT_TRUE(world.start().ok());  // and nothing of it is in the way
  });
}

TEST_F(NamespaceBackendTest, AJarRunsOnce) {
  testing::as_each_user([](World& world) {
    auto jar = world.start().value();
    auto second = world.start();
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code(), ErrorCode::already_exists);
  });
}

TEST_F(NamespaceBackendTest, AForkBombEndsAtItsLimit) {
  testing::as_each_user([](World& world) {
    auto spec = world.spec();
    spec.limits.processes = 40;
    auto jar = world.backend().start(spec).value();
    auto bomb =
        shell(*jar, "i=0; while [ $i -lt 100 ]; do sleep 1 & i=$((i+1)); done 2>/dev/null; jobs | wc -l");
    EXPECT_NE(bomb.code, 0);  // dash gives up at the first fork that fails
    const auto& limits = jar->report().limits;
    ASSERT_EQ(limits.size(), 1U);
    EXPECT_EQ(limits[0].name, "processes");
    EXPECT_TRUE(limits[0].enforced) << limits[0].how;
  });
}

TEST_F(NamespaceBackendTest, WhatTheJarLeftInTheWayIsMovedAside) {
  testing::as_each_user([](World& world) {
    auto spec = world.spec();
    spec.home = world.path("home");  // holds a part of the workspace's path
    spec.workspace = world.path("home/src/project");
    World::host("mkdir -p " + spec.workspace);
    {
      auto jar = world.backend().start(spec).value();
      EXPECT_EQ(shell(*jar, "true").code, 0);
    }
    // As a jar would: its home is its own while the workspace isn't mounted.
    auto kept = spec.state_directory + "/home/src";
    World::host("rm -rf " + kept + " && ln -s /etc " + kept);
    auto jar = world.backend().start(spec);
    ASSERT_TRUE(jar.ok()) << jar.error().to_string();
    EXPECT_EQ(shell(**jar, "cd " + spec.workspace + " && echo x > made").code, 0);
    EXPECT_EQ(world.read("home/src/project/made"), "x\n");
  });
}

TEST_F(NamespaceBackendTest, RefusesWorkspacesThatReachTooFar) {
  testing::as_each_user([](World& world) {
    for (const auto& workspace :
         {std::string("/"), std::string("/usr"), std::string("/etc/apt"), std::string("/home"),
          std::string("/home/somebody"), world.path("state"), world.path("project/..")}) {
      auto spec = world.spec();
      spec.workspace = workspace;
      spec.hidden = {spec.state_directory, spec.cache_directory};
      auto jar = world.backend().start(spec);
      ASSERT_FALSE(jar.ok()) << workspace;
      EXPECT_EQ(jar.error().code(), ErrorCode::invalid_argument) << workspace;
      EXPECT_FALSE(jar.error().hint().empty()) << workspace;
    }
  });
}

}  // namespace
}  // namespace belljar::jar
