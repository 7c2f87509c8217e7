/* Reading .eh_frame; see frame_entry.h. */
#include "live/frame_entry.h"

bool an_frame_entry_read(struct an_cursor *cursor, uint64_t base, struct an_frame_entry *entry)
{
    *entry = (struct an_frame_entry){.address = base + cursor->at};
    uint32_t length = an_cursor_u32(cursor);
    size_t start = cursor->at;
    if (cursor->short_read || length < 4 || length > an_cursor_left(cursor))
        return false;
    if (an_cursor_u32(cursor) != 0 && length >= 12) {
        entry->location = base + cursor->at;
        entry->begin = entry->location + (uint64_t)(int32_t)an_cursor_u32(cursor);
    }
    cursor->at = start + length;
    entry->next = base + cursor->at;
    return true;
}
