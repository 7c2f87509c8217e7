/*
 * BOLT's own reading of a .note.bolt_bat section, for comparison:
 *
 *     bat_peer dump SECTION                what llvm-bat-dump --dump-all prints
 *     bat_peer translate SECTION <LIST     LIST: lines of "ADDRESS SIZE", a fragment each; what
 *                                          bat_lines prints
 *
 * SECTION is a file of the section's bytes. Debian's llvm-N-dev has BOLT as static libraries, but
 * not its headers, so the class is declared here: its functions that are used, and members that
 * take up the same room. Compile with -DLLVM=16 or 19, and link
 * -lLLVMBOLTProfile -lLLVMBOLTCore -lLLVMBOLTUtils -lLLVM-N.
 */
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <system_error>
#include <unordered_map>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

namespace llvm {
namespace bolt {
class BoltAddressTranslation {
public:
    using Pairs = SmallVector<std::pair<uint64_t, uint64_t>, 16>;
#if LLVM == 16
    std::error_code parse(StringRef section);
    void dump(raw_ostream &stream);
#else
    std::error_code parse(raw_ostream &stream, StringRef section);
    void dump(raw_ostream &stream) const;
#endif
    uint64_t translate(uint64_t function, uint64_t offset, bool is_source) const;
    std::optional<Pairs> getFallthroughsInTrace(uint64_t function, uint64_t from,
                                                uint64_t to) const;

private: /* what a map holds does not change its size */
    std::map<uint64_t, uint64_t> maps;
#if LLVM == 16
    std::map<uint64_t, uint64_t> cold;
#else
    std::unordered_map<uint64_t, uint64_t> blocks, secondary;
    std::map<uint64_t, uint64_t> cold;
    std::unordered_map<uint64_t, uint64_t> reverse, hashes;
#endif
};
} // namespace bolt
} // namespace llvm

using llvm::bolt::BoltAddressTranslation;

/* The same numbers as in bat_lines.c. */
static uint64_t step(uint64_t &state)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du;
}

static void print_traces(const BoltAddressTranslation &bat, uint64_t address, uint64_t size)
{
    uint64_t state = address + 1;
    for (int i = 0; i < 8; i++) {
        uint64_t from = step(state) % size, to = step(state) % size;
        auto steps = bat.getFallthroughsInTrace(address, address + from, address + to);
        printf("trace %" PRIx64 " %" PRIx64, from, to);
        for (auto [first, second] : *steps)
            printf(" %" PRIx64 "-%" PRIx64 "=%" PRIx64 "-%" PRIx64, first, second,
                   bat.translate(address, first, true), bat.translate(address, second, false));
        printf("\n");
    }
}

static void print_translations(const BoltAddressTranslation &bat)
{
    uint64_t address, size;
    while (scanf("%" SCNx64 " %" SCNx64, &address, &size) == 2) {
        printf("fragment %" PRIx64 "\n", address);
        for (uint64_t offset = 0; offset < size; offset++)
            printf("%" PRIx64 " %" PRIx64 "\n", bat.translate(address, offset, false),
                   bat.translate(address, offset, true));
        if (size)
            print_traces(bat, address, size);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    auto file = llvm::MemoryBuffer::getFile(argv[2]);
    if (!file)
        return 1;
    bool is_dump = strcmp(argv[1], "dump") == 0;
    /* Never destroyed: the members are not of the types they stand for. */
    auto &bat = *new BoltAddressTranslation();
#if LLVM == 16
    if (!is_dump) /* it tells on stdout how much it read */
        fclose(stderr);
    if (bat.parse((*file)->getBuffer()))
        return 1;
#else
    if (bat.parse(is_dump ? llvm::outs() : llvm::nulls(), (*file)->getBuffer()))
        return 1;
#endif
    llvm::outs().flush();
    if (is_dump)
        bat.dump(llvm::outs());
    else
        print_translations(bat);
    return 0;
}
