#include "jar/namespaces/image_plan.h"

#include <cerrno>

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jar/namespaces/writable_plan.h"
#include "jar/root/generation_directory.h"
#include "jar/root/image_generation.h"

namespace belljar::jar {

namespace {

Result<Generation> open_recorded(const JarSpec& spec) {
  auto name = recorded_generation(spec.state_directory, GenerationOf::image);
  std::optional<Generation> generation;
  if (!name.empty() && name.find('/') == std::string::npos)
    generation = open_generation_at(spec.roots_directory + "/" + name);
  if (generation) return std::move(*generation);
  return Error(ErrorCode::not_found, "the system that was made from the jar's image is gone")
      .with_hint("start the jar again: it is made anew");
}

/// Where the changes of all systems stand, each in a directory of its own.
Result<void> prepare_place(const JarSpec& spec, const Identity& identity) {
  auto place = own_directory(spec.state_directory);
  if (::mkdir(place.c_str(), 0700) < 0 && errno != EEXIST) return Error::from_errno(errno, "mkdir " + place);
  if (identity.privileged && ::lchown(place.c_str(), identity.user, identity.group) < 0)
    return Error::from_errno(errno, "give the jar's root to the jar");
  return {};
}

}  // namespace

void leave_host_system(RootPlan& plan) {
  plan.system.clear();
  plan.links.clear();
}

Result<void> plan_image(const JarSpec& spec, const Identity& identity, RootPlan& plan, JarParts& parts) {
  auto generation = TRY(open_recorded(spec));
  auto system = TRY(read_image_system(generation));
  auto pin = pinned_image(spec.state_directory).value_or(ImagePin{});
  auto found = TRY(find_tier(spec.roots_directory, RootChoice::automatic, identity));
  if (found.tier == RootTier::read_only)
    return Error(ErrorCode::unsupported,
                 "this host can't make an image's system writable for a jar: " + found.why)
        .with_hint("belljar doctor");
  TRY(prepare_place(spec, identity));
  WritableRoot root{.tier = found.tier, .of_image = true};
  TRY(plan_layers(identity, generation, own_directory_of_image(spec.state_directory, generation), root));
  root.host_name = spec.name;
  for (const auto& name : system.directories)
    root.directories.push_back({.name = name, .target = "/" + name, .host = {}});
  for (const auto& link : system.links)
    plan.links.push_back({"/" + link.name, link.target});
  parts.report.root =
      fmt::format("writable and the jar's own, of the image {} ({})", pin.reference, pin.digest);
  plan.writable = std::move(root);
  if (auto lock = generation.lock.duplicate()) parts.etc_lock = std::move(*lock);
  if (!generation.settled)
    parts.to_tend.emplace(host_generation_request(spec, identity), std::move(generation));
  return {};
}

Accounts accounts_of(const RootPlan& plan) {
  if (!plan.writable || !plan.writable->of_image) return accounts_of_host();
  const auto& generation = plan.writable->generation.path;
  return {.passwd = generation + "/passwd",
          .group = generation + "/group",
          .shell = has_program(generation, "/bin/bash") ? "/bin/bash" : "/bin/sh"};
}

}  // namespace belljar::jar
