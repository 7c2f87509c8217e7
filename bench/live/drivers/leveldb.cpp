// SPDX-License-Identifier: Apache-2.0
// Keys come, are looked for, are gone through in order, and go.
#include <cstdio>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "leveldb/write_batch.h"

int main(int argc, char **argv)
{
    leveldb::Options options;
    leveldb::DB *opened;
    options.create_if_missing = true;
    options.compression = leveldb::kNoCompression;
    if (argc != 2 || !leveldb::DB::Open(options, argv[1], &opened).ok())
        return 2;
    std::unique_ptr<leveldb::DB> base(opened);
    for (unsigned long n = 1;; n++) {
        leveldb::WriteBatch batch;
        std::string value;
        for (unsigned long i = 0; i < 100; i++)
            batch.Put("key " + std::to_string((n * 100 + i) * 7919 % 50021),
                      std::string(60, char('a' + n % 26)));
        batch.Delete("key " + std::to_string(n * 31 % 50021));
        if (!base->Write(leveldb::WriteOptions(), &batch).ok())
            return 1;
        for (unsigned long i = 0; i < 300; i++)
            base->Get(leveldb::ReadOptions(), "key " + std::to_string((n + i) * 104729 % 60000),
                      &value);
        std::unique_ptr<leveldb::Iterator> place(base->NewIterator(leveldb::ReadOptions()));
        place->Seek("key " + std::to_string(n % 50021));
        for (int i = 0; i < 200 && place->Valid(); i++)
            place->Next();
        std::printf("%lu\n", n);
        std::fflush(stdout);
    }
}
