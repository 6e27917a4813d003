#include "jar/namespaces/writable_plan.h"

#include <algorithm>
#include <cerrno>
#include <sstream>

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jar/namespaces/image_plan.h"
#include "jar/root/generation.h"

namespace belljar::jar {

namespace {

/// Top directories that packages are installed to. Stores of Nix and Guix stay the host's: what is in them
/// never changes.
constexpr const char* kLayered[] = {"/usr", "/opt", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};
/// Of the jar's own files those that packages and people change.
constexpr const char* kSeeds[] = {"/etc/passwd", "/etc/group", "/etc/hosts"};

template <typename List>
bool contains(const List& list, const std::string& text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

/// Whether the host has something mounted below this directory; no overlay can be made of it then.
bool has_mounts_below(const std::string& directory) {
  std::istringstream mounts(os::read_file("/proc/self/mountinfo", 16U << 20).value_or(""));
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string field;
    for (int n = 0; n < 5; ++n)
      fields >> field;
    if (field != directory && is_within(field, directory)) return true;
  }
  return false;
}

void describe(RootTier tier, const std::string& why, const Generation& generation, StartReport& report) {
  report.root = fmt::format("writable and the jar's own, {} layer ({})", name_of(tier),
                            generation.saved ? "saved: independent of the host"
                                             : "large files are the host's until they are saved");
  if (!why.empty()) report.root_shortcomings.push_back(why);
  if (generation.saved) return;
  auto unsaved = os::read_file(generation.directory + "/unsaved", 4096);
  if (unsaved)
    report.root_shortcomings.push_back("files above 64 KiB can't be saved: " + *unsaved +
                                       "; an upgrade of the host reaches them in jars that are running");
  if (tier == RootTier::skeleton)
    report.root_shortcomings.push_back(
        "until they are saved, files above 64 KiB can be replaced but not changed in place (apt-get "
        "--reinstall "
        "fails on them)");
}

Result<void> prepare_own(const std::string& own, const Identity& identity) {
  if (::mkdir(own.c_str(), 0700) < 0 && errno != EEXIST) return Error::from_errno(errno, "mkdir " + own);
  if (identity.privileged && ::lchown(own.c_str(), identity.user, identity.group) < 0)
    return Error::from_errno(errno, "give the jar's root to the jar");
  return {};
}

/// Takes the directories that become layers out of those that are shown.
std::vector<Source> take_layered(RootPlan& plan) {
  std::vector<Source> layered;
  std::vector<Source> shown;
  for (auto& source : plan.system) {
    if (contains(kLayered, source.target))
      layered.push_back(std::move(source));
    else if (!is_within(source.target, "/var"))
      shown.push_back(std::move(source));
  }
  plan.system = std::move(shown);
  return layered;
}

void add_layers(std::vector<Source> sources, WritableRoot& root, RootPlan& plan, StartReport& report) {
  for (auto& source : sources) {
    LayeredDirectory directory{.name = source.target.substr(1), .target = source.target, .host = {}};
    if (!root.saved && has_mounts_below(source.path)) {
      report.root_shortcomings.push_back(source.target +
                                         " is read-only until it is saved: the host has mounts below it");
      plan.system.push_back(std::move(source));
      continue;
    }
    if (!root.saved) directory.host = std::move(source);
    root.directories.push_back(std::move(directory));
  }
  for (const auto* name : {"etc", "var"})
    root.directories.push_back({.name = name, .target = std::string("/") + name, .host = {}});
}

Result<TierFound> choose_tier(const JarSpec& spec, const Identity& identity) {
  if (spec.roots_directory.empty()) return TierFound{RootTier::read_only, "not asked for"};
  return find_tier(spec.roots_directory, spec.root, identity);
}

GenerationRequest request_of(const JarSpec& spec, const Identity& identity, RootTier tier,
                             const std::vector<Source>& sources) {
  GenerationRequest request{.roots_directory = spec.roots_directory,
                            .state_directory = spec.state_directory,
                            .directories = {},
                            .tier = tier,
                            .identity = identity,
                            .ca_subject_hash = spec.ca_subject_hash,
                            .tell = spec.tell};
  for (const auto& source : sources)
    request.directories.push_back({source.path, source.target.substr(1)});
  return request;
}

/// The generation of the best tier there is, or why there is none.
Result<void> make_ready(const JarSpec& spec, const Identity& identity, GenerationRequest request) {
  auto found = TRY(find_tier(spec.roots_directory, spec.root, identity));
  if (found.tier == RootTier::read_only) {
    Error none(ErrorCode::unsupported, "this host can't make its system writable for a jar: " + found.why);
    if (found.why.find("No such device") == std::string::npos) return none;
    return std::move(none).with_hint("sudo modprobe overlay");
  }
  request.tier = found.tier;
  (void)TRY(take_generation(request));
  return {};
}

}  // namespace

GenerationRequest host_generation_request(const JarSpec& spec, const Identity& identity) {
  RootPlan plan;
  plan_system(plan);
  return request_of(spec, identity, RootTier::skeleton, take_layered(plan));
}

Result<void> plan_layers(const Identity& identity, const Generation& generation, const std::string& own,
                         WritableRoot& root) {
  TRY(prepare_own(own, identity));
  root.saved = generation.saved;
  root.generation = {generation.directory, "", Access::read_only, {}};
  root.own = {own, "", Access::read_write, {}};
  return {};
}

Result<PreparedRoot> prepare_root(const JarSpec& spec) {
  if (spec.root == RootChoice::read_only || spec.roots_directory.empty())
    return PreparedRoot{spec.root, "", ""};
  auto identity = TRY(choose_identity());
  auto request = host_generation_request(spec, identity);
  auto prepared = make_ready(spec, identity, request);
  if (prepared) return PreparedRoot{spec.root, "", ""};
  auto why = std::move(prepared).error();
  if (why.hint().empty()) why = std::move(why).with_hint("belljar doctor");
  if (spec.root != RootChoice::automatic || has_changes(request)) return why;
  return PreparedRoot{RootChoice::read_only, why.to_string(), why.hint()};
}

Result<void> plan_writable(const JarSpec& spec, const Identity& identity, RootPlan& plan, JarParts& parts) {
  if (spec.root == RootChoice::image) return plan_image(spec, identity, plan, parts);
  auto found = TRY(choose_tier(spec, identity));
  if (found.tier == RootTier::read_only) {
    parts.report.root = "read-only (" + found.why + ")";
    return {};
  }
  auto sources = take_layered(plan);
  auto request = request_of(spec, identity, found.tier, sources);
  auto generation = TRY(take_generation(request));
  WritableRoot root{.tier = found.tier};
  TRY(plan_layers(identity, generation, own_directory(spec.state_directory), root));
  root.host_name = spec.name;
  describe(found.tier, found.why, generation, parts.report);
  add_layers(std::move(sources), root, plan, parts.report);
  plan.writable = std::move(root);
  if (auto lock = generation.lock.duplicate()) parts.etc_lock = std::move(*lock);
  if (!generation.saved || !generation.settled)
    parts.to_tend.emplace(std::move(request), std::move(generation));
  return {};
}

void take_seeds(RootPlan& plan) {
  for (auto& file : plan.files)
    if (contains(kSeeds, file.path)) plan.writable->seeds.push_back(std::move(file));
  std::erase_if(plan.files,
                [](const PrivateFile& file) { return file.path.empty() || contains(kSeeds, file.path); });
}

}  // namespace belljar::jar
