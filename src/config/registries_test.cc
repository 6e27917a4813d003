#include "config/registries.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class RegistriesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "registries.XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    host_.root = pattern;
    host_.home = pattern + "/home";
  }
  void TearDown() override { std::filesystem::remove_all(host_.root); }
  void write(const std::string& path, std::string_view text) {
    std::filesystem::create_directories(std::filesystem::path(host_.root + path).parent_path());
    std::ofstream(host_.root + path) << text;
  }
  static std::vector<std::string> shown(const std::vector<Registry>& registries) {
    std::vector<std::string> out;
    for (const auto& registry : registries)
      out.push_back(std::string(name_of(registry.scheme)) + "://" + registry.host + ":" +
                    std::to_string(registry.port) + " " + registry.origin);
    return out;
  }
  ToolHost host_;
};

TEST_F(RegistriesTest, WithoutConfigurationTheToolsDefaultsCount) {
  auto found = find_registries(host_);
  EXPECT_THAT(shown(found.npm), ElementsAre("https://registry.npmjs.org:443 npm's default"));
  EXPECT_THAT(shown(found.pypi), ElementsAre("https://pypi.org:443 pip's default",
                                             "https://files.pythonhosted.org:443 pip's default"));
  EXPECT_THAT(found.npmrc, IsEmpty());
  EXPECT_THAT(found.pip_conf, IsEmpty());
  EXPECT_THAT(found.notes, IsEmpty());
}

TEST_F(RegistriesTest, ReadsNpmrcWithScopesAndWithoutCredentials) {
  host_.variables["TOKEN"] = "s3cret";
  host_.variables["MIRROR"] = "npm.corp.example";
  write("/home/.npmrc",
        "; mine\nregistry=https://user:pw@${MIRROR}:8443/npm\n//npm.corp.example/:_authToken=${TOKEN}\n"
        "@acme:registry = \"https://acme.example/npm/\"\n");
  write("/usr/etc/npmrc", "registry=https://ignored.example/\n@other:registry=http://other.example/\n");
  auto found = find_registries(host_);
  EXPECT_THAT(shown(found.npm), ElementsAre("https://acme.example:443 ~/.npmrc",
                                            "http://other.example:80 " + host_.root + "/usr/etc/npmrc",
                                            "https://npm.corp.example:8443 ~/.npmrc"));
  EXPECT_EQ(found.npmrc,
            "@acme:registry=https://acme.example/npm/\n@other:registry=http://other.example/\n"
            "registry=https://npm.corp.example:8443/npm\n");
  EXPECT_THAT(found.npmrc, Not(HasSubstr("s3cret")));
}

TEST_F(RegistriesTest, ReadsTheSourcesOfAptInBothFormats) {
  write("/etc/apt/sources.list",
        "# deb http://comment.example/ stable main\ndeb http://deb.example.org/debian bookworm main # why\n"
        "deb-src [ arch=amd64 signed-by=/usr/share/k.gpg ] https://deb.example.org/debian bookworm main\n"
        "deb [arch=amd64] http://deb.example.org/again bookworm main\ndeb cdrom:[Disc]/ bookworm main\n"
        "deb [never closed https://open.example/\ndeb\ndeb [x]\nnonsense https://nonsense.example/ x\n");
  write("/etc/apt/sources.list.d/b.sources",
        "Types: deb\nURIs: https://one.example/debian\n  https://two.example:8443/debian\n# "
        "https://no.example\n"
        "Suites: stable\n\nTypes: deb\nEnabled: no\nURIs: https://off.example/\n\n"
        "types: deb\nuris: https://user:s3cret@three.example/ mirror+https://list.example/\nenabled: Yes\n");
  write("/etc/apt/sources.list.d/a.list", "deb https://localhost/ stable main\n");
  write("/etc/apt/sources.list.d/c.list.save", "deb https://saved.example/ stable main\n");
  auto found = find_registries(host_);
  auto at = " " + host_.root + "/etc/apt/sources.list";
  EXPECT_THAT(shown(found.apt),
              ElementsAre("http://deb.example.org:80" + at, "https://deb.example.org:443" + at,
                          "https://one.example:443" + at + ".d/b.sources",
                          "https://two.example:8443" + at + ".d/b.sources",
                          "https://three.example:443" + at + ".d/b.sources"));
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("localhost")));
}

TEST_F(RegistriesTest, TheEnvironmentComesFirst) {
  write("/home/.npmrc", "registry=https://file.example/\n");
  host_.variables["NPM_CONFIG_REGISTRY"] = "https://upper.example/";
  EXPECT_THAT(shown(find_registries(host_).npm),
              ElementsAre("https://upper.example:443 NPM_CONFIG_REGISTRY"));
  host_.variables = {{"npm_config_registry", "https://lower.example"}};
  EXPECT_THAT(shown(find_registries(host_).npm),
              ElementsAre("https://lower.example:443 npm_config_registry"));
  host_.variables = {{"npm_config_userconfig", host_.root + "/elsewhere"}};
  write("/elsewhere", "registry=https://else.example/\n");
  EXPECT_THAT(shown(find_registries(host_).npm),
              ElementsAre("https://else.example:443 " + host_.root + "/elsewhere"));
}

TEST_F(RegistriesTest, ReadsPipConf) {
  write("/home/.config/pip/pip.conf",
        "[global]\nindex-url = https://u:p@pypi.corp.example/simple\nextra-index-url =\n    "
        "https://a.example/simple/\n"
        "    http://b.example:8080/simple\n[freeze]\nindex-url = https://no.example\n");
  write("/etc/pip.conf", "[global]\nindex-url = https://ignored.example/\n");
  auto found = find_registries(host_);
  EXPECT_THAT(shown(found.pypi), ElementsAre("https://pypi.corp.example:443 ~/.config/pip/pip.conf",
                                             "https://a.example:443 ~/.config/pip/pip.conf",
                                             "http://b.example:8080 ~/.config/pip/pip.conf"));
  EXPECT_EQ(found.pip_conf,
            "[global]\nindex-url = https://pypi.corp.example/simple\nextra-index-url =\n    "
            "https://a.example/simple/\n"
            "    http://b.example:8080/simple\n");
}

TEST_F(RegistriesTest, PipsVariablesComeFirst) {
  write("/etc/pip.conf", "[global]\nindex-url = https://file.example/\n");
  EXPECT_THAT(shown(find_registries(host_).pypi),
              ElementsAre("https://file.example:443 " + host_.root + "/etc/pip.conf"));
  host_.variables["PIP_INDEX_URL"] = "https://variable.example/simple";
  host_.variables["PIP_EXTRA_INDEX_URL"] = "https://x.example https://y.example";
  EXPECT_THAT(shown(find_registries(host_).pypi), ElementsAre("https://variable.example:443 PIP_INDEX_URL",
                                                              "https://x.example:443 PIP_EXTRA_INDEX_URL",
                                                              "https://y.example:443 PIP_EXTRA_INDEX_URL"));
}

TEST_F(RegistriesTest, NotesWhatNoRuleCanNameWithoutItsCredentials) {
  for (auto url : {"http://tok3n@127.0.0.1:4873/", "http://tok3n@localhost:4873", "http://tok3n@[::1]:4873/",
                   "ftp://tok3n@x.example/", "https://tok3n@x.example:99999/", "https://tok3n@2130706433/",
                   "https://tok3n@x.example/a\"b"}) {
    host_.variables["npm_config_registry"] = url;
    auto found = find_registries(host_);
    EXPECT_THAT(found.npm, IsEmpty()) << url;
    EXPECT_THAT(found.npmrc, IsEmpty()) << url;
    ASSERT_EQ(found.notes.size(), 1U) << url;
    EXPECT_THAT(found.notes[0], HasSubstr("npm_config_registry"));
    EXPECT_THAT(found.notes[0], Not(HasSubstr("tok3n")));
  }
}

TEST_F(RegistriesTest, BecomeRulesAndExceptionsForTheirPortOnly) {
  write("/home/.npmrc",
        "registry=https://npm.corp.example:8443/\n@a:registry=https://npm.corp.example:8443/a/\n");
  auto config = parse_config("[[egress.allow]]\nregistry = \"npm\"\n", "c.toml").value();
  policy::Policy policy;
  add_registries(config.registries, find_registries(host_), policy);
  ASSERT_EQ(policy.rules.size(), 1U);
  EXPECT_EQ(policy.rules[0].origin, "c.toml:1:1");
  EXPECT_THAT(policy.rules[0].reason, HasSubstr("~/.npmrc"));
  policy::Subject subject{
      .host = "npm.corp.example", .port = 8443, .method = "GET", .path = "/@scope%2Fname"};
  EXPECT_EQ(judge(policy, subject).verdict, policy::Verdict::allow);
  subject.method = "PUT";
  EXPECT_EQ(judge(policy, subject).verdict, policy::Verdict::deny);
  EXPECT_EQ(judge_connection(policy, policy::Scheme::https, "npm.corp.example", 443).verdict,
            policy::Verdict::deny);
  ASSERT_EQ(policy.exceptions.size(), 1U);
  EXPECT_EQ(policy.exceptions[0].host, "npm.corp.example");
  EXPECT_EQ(policy.exceptions[0].port, 8443);
}

}  // namespace
}  // namespace belljar::config
