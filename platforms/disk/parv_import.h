// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>
#include <string>

#include "models/disk/drive_params.h"
#include "platforms/disk/parv_text.h"

// Turns the widely used parameter files of disk simulations (.parv with .diskspecs, .model and .seek beside it) into
// drives of the catalogue. Parameters mean what the format's manual says. The importer decides what the format leaves
// open, or says about the machine around the drive, and notes it in the drive's `source`.
namespace sunstar::disk_platform {

/// Reads a .parv file, from which it takes the first disk and that disk's bus, or a .diskspecs file, which has a disk
/// and no bus. Throws ConfigError "FILE:LINE: sentence" for anything that is missing, cannot be read or is not
/// modelled.
disk::DriveParams import_drive(const std::filesystem::path& file, Sourcing sourcing = Sourcing::from_folder);

/// The drive as a file of the catalogue.
std::string catalogue_text(const disk::DriveParams& drive);

/// `sunstar-disk import FILE [--output NAME.json] [--source-anywhere]`. Returns the exit code.
int import_main(int argc, const char* const* argv);

}  // namespace sunstar::disk_platform
