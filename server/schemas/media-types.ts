/** Media types of a body that holds a participant, and of one that is an item's picture. */
export const PARTICIPANT_TYPES = ['application/json', 'application/x-ndjson', 'application/ndjson', 'application/jsonl']
export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/svg+xml']
