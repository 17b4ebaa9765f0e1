// Options that the commands about images share.
#pragma once

#include "base/workers.h"
#include "command/option_list.h"

namespace patina {

inline void add_threads(OptionList& words, int& threads) {
  words.add("--threads", threads, "0: as many as cores").range(0, kMaxThreadsCount);
}

// Adds the options of all commands that read an image.
template <typename ReaderOptions>
void add_image(OptionList& words, ReaderOptions& options) {
  words.add("--index", options.index_file, "The .caibx of the image").required();
  words.add("--index-digest", options.index_digest, "SHA-256 that the index file must have, hex");
  add_threads(words, options.threads);
}

// Adds the option of commands that write an image to a device.
inline void add_drops_data(OptionList& words, bool& drops_data) {
  words.add_flag("--drops-data", drops_data,
                 "The device is an emulated disk: do not compare what was written with the image");
}

}  // namespace patina
