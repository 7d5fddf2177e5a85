import { VIDEO_TYPES } from '../../engine/model/video/video-facts.ts'

export const JSON_TYPE = 'application/json'
/** Media types of a body that holds a participant, and of one that is an item's picture. */
export const PARTICIPANT_TYPES = [JSON_TYPE, 'application/x-ndjson', 'application/ndjson', 'application/jsonl']
/** Media types of AOIs: as study.json has them, or as a table of boxes. */
export const AOI_TYPES = [JSON_TYPE, 'text/csv']
const STILL_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/svg+xml']
export const PICTURE_TYPES: string[] = [...STILL_TYPES, ...VIDEO_TYPES]
