#include "jar/workspace/git_config.h"

#include <algorithm>

namespace belljar::jar {

namespace {

constexpr std::size_t kMaxText = 1U << 20;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text.substr(0, kMaxText)) {}

  std::vector<GitSetting> parse() {
    skip_mark();
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '\n' || is_blank(c))
        ++at_;
      else if (c == '#' || c == ';')
        skip_line();
      else if (c == '[')
        read_section();
      else if (is_word(c))
        read_setting();
      else
        skip_line();
    }
    return std::move(settings_);
  }

 private:
  [[nodiscard]] bool more() const { return at_ < text_.size() && text_[at_] != '\n'; }
  void skip_mark() {
    if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = 3;
  }
  void skip_line() {
    while (more())
      ++at_;
  }
  void skip_blanks() {
    while (more() && is_blank(text_[at_]))
      ++at_;
  }

  void read_section() {
    ++at_;
    section_.clear();
    // "[section.SubSection]" is the old form; git lowers all of it.
    while (more() && (is_word(text_[at_]) || text_[at_] == '.'))
      section_ += lower(text_[at_++]);
    skip_blanks();
    if (more() && text_[at_] == '"') {
      section_ += '.';
      for (++at_; more() && text_[at_] != '"'; ++at_) {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
        section_ += text_[at_];
      }
      if (more()) ++at_;
    }
    skip_blanks();
    if (more() && text_[at_] == ']') ++at_;  // a setting may follow on the same line
  }

  void read_setting() {
    GitSetting setting;
    setting.name = section_ + ".";
    while (more() && is_word(text_[at_]))
      setting.name += lower(text_[at_++]);
    skip_blanks();
    if (more() && text_[at_] == '=') {
      ++at_;
      setting.value = read_value();
    } else {
      setting.value = "true";
      skip_line();
    }
    settings_.push_back(std::move(setting));
  }

  std::string read_value() {
    std::string value;
    std::size_t kept = 0;  // trailing blanks outside quotes don't count
    bool quoted = false;
    skip_blanks();
    while (at_ < text_.size()) {
      char c = text_[at_++];
      if (c == '\n') break;
      if (c == '"') {
        quoted = !quoted;
        kept = value.size();
        continue;
      }
      if (!quoted && (c == '#' || c == ';')) {
        skip_line();
        continue;
      }
      bool escaped = c == '\\' && at_ < text_.size();
      if (escaped) {
        c = text_[at_++];
        if (c == '\n') continue;
        if (c == '\r' && at_ < text_.size() && text_[at_] == '\n') {
          ++at_;
          continue;
        }
        if (c == 'n') c = '\n';
        if (c == 't') c = '\t';
      }
      value += c;
      if (quoted || escaped || !is_blank(c)) kept = value.size();
    }
    value.resize(kept);
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string section_;
  std::vector<GitSetting> settings_;
};

bool is_false(std::string value) {
  std::transform(value.begin(), value.end(), value.begin(), lower);
  return value.empty() || value == "false" || value == "no" || value == "off" || value == "0";
}

bool is_true(std::string value) {
  std::transform(value.begin(), value.end(), value.begin(), lower);
  return value == "true" || value == "yes" || value == "on" || value == "1";
}

/// Keys that name a program or a place of programs, whatever stands between section and key.
constexpr std::pair<std::string_view, std::string_view> kPrograms[] = {{"core", "sshcommand"},
                                                                       {"core", "hookspath"},
                                                                       {"core", "pager"},
                                                                       {"core", "editor"},
                                                                       {"core", "askpass"},
                                                                       {"core", "gitproxy"},
                                                                       {"core", "alternaterefscommand"},
                                                                       {"sequence", "editor"},
                                                                       {"credential", "helper"},
                                                                       {"gpg", "program"},
                                                                       {"gpg", "defaultkeycommand"},
                                                                       {"diff", "external"},
                                                                       {"diff", "command"},
                                                                       {"diff", "textconv"},
                                                                       {"difftool", "cmd"},
                                                                       {"difftool", "path"},
                                                                       {"mergetool", "cmd"},
                                                                       {"mergetool", "path"},
                                                                       {"merge", "driver"},
                                                                       {"filter", "clean"},
                                                                       {"filter", "smudge"},
                                                                       {"filter", "process"},
                                                                       {"include", "path"},
                                                                       {"includeif", "path"},
                                                                       {"remote", "uploadpack"},
                                                                       {"remote", "receivepack"},
                                                                       {"remote", "vcs"},
                                                                       {"interactive", "difffilter"},
                                                                       {"pager", ""},
                                                                       {"man", "cmd"},
                                                                       {"man", "path"},
                                                                       {"browser", "cmd"},
                                                                       {"browser", "path"},
                                                                       {"web", "browser"},
                                                                       {"sendemail", "smtpserver"},
                                                                       {"sendemail", "sendmailcmd"},
                                                                       {"sendemail", "tocmd"},
                                                                       {"sendemail", "cccmd"},
                                                                       {"sendemail", "headercmd"},
                                                                       {"uploadpack", "packobjectshook"},
                                                                       {"receive", "procreceiverefs"},
                                                                       {"instaweb", "httpd"},
                                                                       {"trailer", "command"},
                                                                       {"trailer", "cmd"},
                                                                       {"imap", "tunnel"},
                                                                       {"guitool", "cmd"},
                                                                       {"tar", "command"},
                                                                       {"core", "attributesfile"},
                                                                       {"core", "worktree"},
                                                                       {"init", "templatedir"},
                                                                       {"hook", "command"},
                                                                       {"gc", "recentobjectshook"},
                                                                       {"submodule", "update"},
                                                                       {"bundle", "uri"},
                                                                       {"diff", "tool"},
                                                                       {"merge", "tool"},
                                                                       {"extensions", "worktreeconfig"}};

}  // namespace

std::vector<GitSetting> parse_git_config(std::string_view text) { return Parser(text).parse(); }

std::string executes(const GitSetting& setting) {
  std::string_view name = setting.name;
  auto section = name.substr(0, name.find('.'));
  auto key = name.substr(name.rfind('.') + 1);
  if (section == "core" && key == "fsmonitor")  // true asks for git's own daemon
    return is_false(setting.value) || is_true(setting.value)
               ? ""
               : "core.fsmonitor runs a program at every git status";
  if (section == "alias")
    return !setting.value.empty() && setting.value[0] == '!' ? std::string(name) + " runs a shell command"
                                                             : "";
  if (section == "submodule" && key == "update")
    return !setting.value.empty() && setting.value[0] == '!' ? std::string(name) + " runs a shell command"
                                                             : "";
  if (section == "url" && (key == "insteadof" || key == "pushinsteadof"))
    return name.find("ext::") != std::string_view::npos
               ? std::string(name) + " uses a transport that runs a command"
               : "";
  if ((section == "remote" || section == "submodule") && (key == "url" || key == "pushurl"))
    return setting.value.rfind("ext::", 0) == 0 || setting.value.rfind('-', 0) == 0
               ? std::string(name) + " uses a transport that runs a command"
               : "";
  if (section == "protocol" && key == "allow")
    return is_false(setting.value) ? "" : std::string(name) + " widens what transports git uses";
  if (is_false(setting.value)) return "";
  for (const auto& [of, what] : kPrograms) {
    if (section != of) continue;
    if (!what.empty() && key != what) continue;
    if (section == "extensions") return "extensions.worktreeConfig makes git read config.worktree";
    if (section == "pager" && is_true(setting.value)) continue;
    if (section == "core" && key == "worktree") return "core.worktree makes git work on another directory";
    return std::string(name) + " makes git run or read what it names";
  }
  return "";
}

}  // namespace belljar::jar
