#include "jar/workspace/git_config.h"

#include <gtest/gtest.h>

namespace belljar::jar {
namespace {

std::string parsed(std::string_view text) {
  std::string out;
  for (const auto& setting : parse_git_config(text))
    out += setting.name + "=" + setting.value + "|";
  return out;
}

TEST(GitConfig, ReadsAsGitDoes) {
  EXPECT_EQ(parsed("[core]\n\tbare = false\n"), "core.bare=false|");
  EXPECT_EQ(parsed("[Core] FSMonitor = x"), "core.fsmonitor=x|");
  EXPECT_EQ(parsed("[filter \"LfS\"]\nclean = a b  ; comment\n"), "filter.LfS.clean=a b|");
  EXPECT_EQ(parsed("[remote \"o\\\"]x\"]\nurl=u"), "remote.o\"]x.url=u|");
  EXPECT_EQ(parsed("[branch.Old]\nkey"), "branch.old.key=true|");
  EXPECT_EQ(parsed("[a]\nb = \"c # d\" e # f\n"), "a.b=c # d e|");
  EXPECT_EQ(parsed("[a]\nb = one \\\n two\n"), "a.b=one  two|");
  EXPECT_EQ(parsed("[a]\nb = x\\ty\\\\z\n"), "a.b=x\ty\\z|");
  EXPECT_EQ(parsed("\xef\xbb\xbf[a]\r\nb = c\r\n"), "a.b=c|");
}

TEST(GitConfig, GoesOnAfterWhatIsBroken) {
  EXPECT_EQ(parsed("[a\n!!\n[core]\nfsmonitor=x"), "core.fsmonitor=x|");
  EXPECT_EQ(parsed("[core]\n= nothing\nfsmonitor=x"), "core.fsmonitor=x|");
}

TEST(GitConfig, KnowsWhatRunsPrograms) {
  for (const auto* text : {"[core]\nfsmonitor=/x",
                           "[core]\nsshCommand=x",
                           "[core]\nhooksPath=h",
                           "[core]\npager=p",
                           "[core]\neditor=e",
                           "[credential]\nhelper=h",
                           "[credential \"https://h\"]\nhelper=h",
                           "[filter \"f\"]\nclean=c",
                           "[filter \"f\"]\nprocess=c",
                           "[diff \"d\"]\ntextconv=t",
                           "[diff]\nexternal=t",
                           "[alias]\nx=!sh",
                           "[include]\npath=p",
                           "[includeIf \"gitdir:x\"]\npath=p",
                           "[remote \"o\"]\nuploadpack=u",
                           "[remote \"o\"]\nurl=ext::sh -c x",
                           "[gpg]\nprogram=p",
                           "[gpg \"ssh\"]\nprogram=p",
                           "[pager]\nlog=less",
                           "[merge \"m\"]\ndriver=d",
                           "[url \"ext::sh\"]\ninsteadOf=https://",
                           "[protocol \"ext\"]\nallow=always",
                           "[core]\nworktree=/x",
                           "[submodule \"s\"]\nupdate=!x",
                           "[extensions]\nworktreeConfig=true"}) {
    auto settings = parse_git_config(text);
    ASSERT_EQ(settings.size(), 1U) << text;
    EXPECT_NE(executes(settings[0]), "") << text;
  }
  for (const auto* text :
       {"[core]\nbare=false", "[core]\nfsmonitor=true", "[core]\nfsmonitor=false", "[user]\nname=n",
        "[remote \"o\"]\nurl=https://h/r", "[alias]\nst=status", "[branch \"b\"]\nmerge=refs/heads/b",
        "[pager]\nlog=false", "[submodule \"s\"]\nupdate=checkout"}) {
    auto settings = parse_git_config(text);
    ASSERT_EQ(settings.size(), 1U) << text;
    EXPECT_EQ(executes(settings[0]), "") << text;
  }
}

}  // namespace
}  // namespace belljar::jar
