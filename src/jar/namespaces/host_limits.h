// Why a host refuses namespaces to a user, and what mends it: for the error of a start and for doctor.
#pragma once

#include <string>

#include "base/result.h"

namespace belljar::jar {

/// What failed, when the kernel refused them.
inline constexpr char kCreateNamespaces[] = "create the jar's namespaces";

/// The error of creating the jar's namespaces that failed with this errno, with the reason that the host's
/// settings (read below `proc_sys`) give and the command that changes it.
Error explain_refusal(int saved_errno, const std::string& proc_sys = "/proc/sys");

/// Whether the host restricts what a user namespace may do (AppArmor's restriction of Ubuntu): then creating
/// one works and everything in it fails. Empty when it doesn't, else one line.
std::string userns_restriction(const std::string& proc_sys = "/proc/sys");

}  // namespace belljar::jar
