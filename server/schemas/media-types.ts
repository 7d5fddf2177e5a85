import { VIDEO_TYPES } from '../../engine/model/video/video-facts.ts'

/** Media types of bodies with a participant, and of those with an item's picture. */
export const PARTICIPANT_TYPES = ['application/json', 'application/x-ndjson', 'application/ndjson', 'application/jsonl']
const STILL_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/svg+xml']
export const PICTURE_TYPES: string[] = [...STILL_TYPES, ...VIDEO_TYPES]
