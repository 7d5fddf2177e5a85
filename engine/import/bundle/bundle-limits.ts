import { isVideoName } from '../../model/video/video-facts.ts'

/**
 * Limits of a bundle (listed in docs/bundle.md), so that no file from a stranger takes more than a gibibyte of
 * memory. The limits of samples are settings.
 */
const MIB = 2 ** 20

export const STUDY_JSON_MAX_BYTES = 16 * MIB
/** Values, objects and lists of study.json together, and how deep they may lie in each other. */
export const STUDY_JSON_MAX_VALUES = 1_000_000
export const STUDY_JSON_MAX_DEPTH = 64

export const ITEMS_MAX = 10_000
export const STEPS_MAX = 10_000
export const AOIS_MAX = 10_000
export const AOI_TAGS_MAX = 20
export const AOI_TAG_MAX = 100
export const PARTS_MAX = 1000
export const POLYGON_POINTS_MAX = 1000
/** Largest number of points in all polygons of a study together. */
export const POINTS_MAX = 100_000

export const PARTICIPANTS_MAX = 100_000
export const TESTS_MAX = 250_000
export const VALIDATIONS_MAX = 1_000_000
export const EVENTS_MAX = 1_000_000
/** Largest size of participants.csv and tests.csv, unpacked. */
export const TABLE_MAX_BYTES = 64 * MIB
/** Largest record of a CSV, which is held as text. */
export const RECORD_MAX_BYTES = 4 * MIB

/** Characters of what names something: ids of a lab, names, keys. Rows of exports repeat them. */
export const NAME_MAX = 1000
/** Characters of notes, of external data, and of addresses. */
export const PROSE_MAX = 10_000
/** Characters of all texts of a participant together. */
export const PARTICIPANT_TEXT_MAX = 100_000
export const INSTANT_MAX = 64

export function hasAtMost(text: string, characters: number): boolean {
  return text.length <= characters || (text.length <= 2 * characters && [...text].length <= characters)
}

export const PICTURE_MAX_BYTES = 64 * MIB

/** Limits that are settings: IMPORT_MAX_SAMPLES, IMPORT_MAX_GIB and VIDEO_MAX_MIB. */
export type SampleLimits = {
  samplesMax: number
  /** Largest size of samples unpacked, and of scratch files while they are sorted. */
  maxBytes: number
  /** Largest video of an item; 1 GiB, if not given. */
  videoMaxBytes?: number
}

const GIB = 2 ** 30
export const SAMPLE_LIMITS: SampleLimits = { samplesMax: 1e9, maxBytes: 64 * GIB }

/** Bytes of a staged sample, however well a Parquet file compresses many equal ones. */
export const STAGED_SAMPLE_BYTES = 64

/** Returns the most bytes that a file may hold unpacked, and the rule to put after the file's name. */
export function unpackedLimit({ maxBytes }: SampleLimits): { mostBytes: number; rule: string } {
  return { mostBytes: maxBytes, rule: `must have at most ${inGib(maxBytes)} unpacked (IMPORT_MAX_GIB)` }
}

/** The limits that the settings give. */
export function sampleLimits(config: {
  importMaxSamples: number
  importMaxGib: number
  videoMaxMib: number
}): SampleLimits {
  const { importMaxSamples: samplesMax, importMaxGib, videoMaxMib } = config
  return { samplesMax, maxBytes: importMaxGib * GIB, videoMaxBytes: videoMaxMib * MIB }
}

/** Returns the most bytes that a picture of that name may have, and the rule to put after its name. */
export function pictureLimit(name: string, { videoMaxBytes = GIB }: SampleLimits): { mostBytes: number; rule: string } {
  return isVideoName(name)
    ? { mostBytes: videoMaxBytes, rule: `must have at most ${inMib(videoMaxBytes)} (VIDEO_MAX_MIB)` }
    : { mostBytes: PICTURE_MAX_BYTES, rule: `must have at most ${inMib(PICTURE_MAX_BYTES)}` }
}

export function inGib(bytes: number): string {
  return `${bytes / GIB} GiB`
}

export function inMib(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`
}
