// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>
#include <string>

#include "models/disk/drive_params.h"

// From the widely used parameter files of disk simulations (.parv with .diskspecs, .model and .seek beside it) to a
// drive of the catalogue. What a parameter means follows the format's manual; what the format leaves open, or says of a
// machine around the drive, is decided here, and said in the drive's `source`.
namespace sunstar::disk_platform {

/// Reads a .parv file, whose first disk is taken with the bus on which it hangs, or a .diskspecs file, which has a disk
/// and no bus. Throws ConfigError "FILE:LINE: sentence" for what is missing, cannot be read or describes what is not
/// modelled.
disk::DriveParams import_drive(const std::filesystem::path& file);

/// The drive as a file of the catalogue.
std::string catalogue_text(const disk::DriveParams& drive);

/// `sunstar-disk import FILE [--output NAME.json]`. Returns the exit code.
int import_main(int argc, const char* const* argv);

}  // namespace sunstar::disk_platform
