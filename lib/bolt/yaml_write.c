/* Writing a YAML profile as merge-fdata writes it: what has the usual value is left out where LLVM leaves it out. */
#include "base/yaml_layout.h"
#include "bolt/yaml_profile.h"

static void put_text(struct yaml_layout *layout, const char *key, const struct an_yaml_text *text)
{
    an_yaml_put_key(layout, 2, false, key);
    an_yaml_put_text(layout, text->text, text->length);
}

static void put_flags(struct yaml_layout *layout, unsigned flags)
{
    bool has_some = false;
    an_yaml_put_key(layout, 2, false, "profile-flags");
    an_yaml_put(layout, "[ ");
    for (unsigned flag = AN_YAML_LBR; flag <= AN_YAML_MEMORY; flag <<= 1)
        if (flags & flag) {
            an_yaml_put(layout, has_some ? ", " : "");
            an_yaml_put(layout, an_yaml_flag_name(flag));
            has_some = true;
        }
    an_yaml_put(layout, " ]");
}

static void put_header(struct yaml_layout *layout, const struct an_yaml_header *header)
{
    an_yaml_put_group(layout, 0, false, "header");
    an_yaml_put_key(layout, 2, false, "profile-version");
    an_yaml_put_number(layout, header->version);
    put_text(layout, "binary-name", &header->binary_name);
    put_text(layout, "binary-build-id", &header->build_id);
    put_flags(layout, header->flags);
    put_text(layout, "profile-origin", &header->origin);
    put_text(layout, "profile-events", &header->events);
    an_yaml_put_key(layout, 2, false, "dfs-order");
    an_yaml_put(layout, header->dfs_order ? "true" : "false");
    if (header->hash != AN_YAML_XXH3)
        return;
    an_yaml_put_key(layout, 2, false, "hash-func");
    an_yaml_put(layout, an_yaml_hash_name(header->hash));
}

static void put_map_number(struct yaml_layout *layout, const char *key, uint64_t value)
{
    an_yaml_put_map_key(layout, key);
    an_yaml_put_number(layout, value);
}

static void put_calls(struct yaml_layout *layout, const struct an_yaml_block *block)
{
    an_yaml_put_key(layout, 8, false, "calls");
    an_yaml_begin_list(layout);
    for (size_t i = 0; i < block->call_count; i++) {
        const struct an_yaml_call *call = &block->calls[i];
        an_yaml_next_item(layout);
        an_yaml_begin_map(layout);
        an_yaml_put_map_key(layout, "off");
        an_yaml_put_hex(layout, call->offset);
        put_map_number(layout, "fid", call->function);
        if (call->entry)
            put_map_number(layout, "disc", call->entry);
        put_map_number(layout, "cnt", call->count);
        if (call->mispreds)
            put_map_number(layout, "mis", call->mispreds);
        an_yaml_end_map(layout);
    }
    an_yaml_end_list(layout);
}

static void put_successors(struct yaml_layout *layout, const struct an_yaml_block *block)
{
    an_yaml_put_key(layout, 8, false, "succ");
    an_yaml_begin_list(layout);
    for (size_t i = 0; i < block->successor_count; i++) {
        const struct an_yaml_successor *successor = &block->successors[i];
        an_yaml_next_item(layout);
        an_yaml_begin_map(layout);
        put_map_number(layout, "bid", successor->block);
        put_map_number(layout, "cnt", successor->count);
        if (successor->mispreds)
            put_map_number(layout, "mis", successor->mispreds);
        an_yaml_end_map(layout);
    }
    an_yaml_end_list(layout);
}

static void put_number(struct yaml_layout *layout, unsigned indent, const char *key, uint64_t value)
{
    an_yaml_put_key(layout, indent, false, key);
    an_yaml_put_number(layout, value);
}

static void put_hex(struct yaml_layout *layout, unsigned indent, const char *key, uint64_t value)
{
    an_yaml_put_key(layout, indent, false, key);
    an_yaml_put_hex(layout, value);
}

static void put_block(struct yaml_layout *layout, const struct an_yaml_block *block)
{
    an_yaml_put_key(layout, 8, true, "bid");
    an_yaml_put_number(layout, block->number);
    put_number(layout, 8, "insns", block->instructions);
    if (block->hash)
        put_hex(layout, 8, "hash", block->hash);
    if (block->executed)
        put_number(layout, 8, "exec", block->executed);
    if (block->events)
        put_number(layout, 8, "events", block->events);
    if (block->call_count)
        put_calls(layout, block);
    if (block->successor_count)
        put_successors(layout, block);
}

static void put_function(struct yaml_layout *layout, const struct an_yaml_function *function)
{
    an_yaml_put_key(layout, 4, true, "name");
    an_yaml_put_text(layout, function->name.text, function->name.length);
    put_number(layout, 4, "fid", function->id);
    put_hex(layout, 4, "hash", function->hash);
    put_number(layout, 4, "exec", function->executed);
    if (function->external)
        put_number(layout, 4, "extern", function->external);
    put_number(layout, 4, "nblocks", function->block_number);
    if (function->block_count)
        an_yaml_put_group(layout, 4, false, "blocks");
    for (size_t i = 0; i < function->block_count; i++)
        put_block(layout, &function->blocks[i]);
}

enum an_code an_yaml_profile_write(const struct an_yaml_profile *profile, void **bytes,
                                   size_t *size, struct an_error *error)
{
    struct an_buffer buffer = {0};
    struct yaml_layout layout = {.buffer = &buffer, .widest = 70};
    an_yaml_put(&layout, "---");
    put_header(&layout, &profile->info.header);
    if (profile->count) {
        an_yaml_put_group(&layout, 0, false, "functions");
    } else {
        an_yaml_put_key(&layout, 0, false, "functions");
        an_yaml_put(&layout, "[]");
    }
    for (size_t i = 0; i < profile->count && !buffer.failed; i++)
        put_function(&layout, &profile->functions[i]);
    an_yaml_put(&layout, "\n...\n");
    if (buffer.failed) {
        an_buffer_free(&buffer);
        return an_fail_memory(error);
    }
    *bytes = buffer.data;
    *size = buffer.size;
    return AN_OK;
}
