/* The table of what families do; see commands.h. */
#include "commands.h"

#include "fdata_diff.h"
#include "fdata_merging.h"
#include "fdata_show.h"
#include "gcc_convert.h"
#include "gcc_diff.h"
#include "gcc_merging.h"
#include "gcc_show.h"
#include "llvm_diff.h"
#include "llvm_merging.h"
#include "llvm_show.h"
#include "yaml_diff.h"
#include "yaml_merging.h"
#include "yaml_show.h"

const struct family_commands *family_commands(const struct family *family)
{
    static const struct family_commands all[] = {
        {&family_llvm, llvm_merge_run, llvm_convert_run, llvm_show_run, llvm_diff, llvm_order_run,
         llvm_order_flatten},
        {&family_fdata, fdata_merge_run, fdata_convert_run, fdata_show_run, fdata_diff,
         fdata_order_run, fdata_order_flatten},
        {&family_yaml, yaml_merge_run, yaml_convert_run, yaml_show_run, yaml_diff, yaml_order_run,
         NULL},
        {&family_gcc, gcc_merge_run, gcc_convert_run, gcc_show_run, gcc_diff, gcc_order_run, NULL},
        {&family_recording, .order = recording_order_run},
    };
    const struct family_commands *commands = all;
    while (commands->family != family)
        commands++;
    return commands;
}
