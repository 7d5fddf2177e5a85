import { isVideoName } from '../../model/video/video-facts.ts'

/**
 * Limits of a bundle (listed in docs/bundle.md), so that no file from a stranger takes more than a gibibyte of memory.
 * Limits of samples are settings.
 */
const MIB = 2 ** 20

export const STUDY_JSON_MAX_BYTES = 16 * MIB
/** Limits of study.json: number of values, objects and lists, and nesting. */
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
/** Largest size of participants.csv and tests.csv, uncompressed. */
export const TABLE_MAX_BYTES = 64 * MIB
/** Largest size of validations.csv and events.csv, uncompressed: a million rows, with as much text as a draft holds. */
export const LONG_TABLE_MAX_BYTES = 128 * MIB
/** Largest record of a CSV, since it is in memory as text. */
export const RECORD_MAX_BYTES = 4 * MIB

/** Characters of names: ids of a lab, names, keys. Rows of exports repeat them. */
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
  /** Largest size of samples, uncompressed, and of temporary files while they are sorted. */
  maxBytes: number
  /** Largest video of an item; 1 GiB if absent. */
  videoMaxBytes?: number
}

const GIB = 2 ** 30
export const SAMPLE_LIMITS: SampleLimits = { samplesMax: 1e9, maxBytes: 64 * GIB }

/** Bytes that each staged sample counts at least, since Parquet can compress many equal samples to almost nothing. */
export const STAGED_SAMPLE_BYTES = 64

/** Returns the maximum uncompressed size of a file in bytes, and the rule, to follow the file's name. */
export function unpackedLimit({ maxBytes }: SampleLimits): { mostBytes: number; rule: string } {
  return { mostBytes: maxBytes, rule: `must have at most ${inGib(maxBytes)} unpacked (IMPORT_MAX_GIB)` }
}

/** Returns the limits from the settings. */
export function sampleLimits(config: {
  importMaxSamples: number
  importMaxGib: number
  videoMaxMib: number
}): SampleLimits {
  const { importMaxSamples: samplesMax, importMaxGib, videoMaxMib } = config
  return { samplesMax, maxBytes: importMaxGib * GIB, videoMaxBytes: videoMaxMib * MIB }
}

/** Returns the maximum size in bytes of a picture with that name, and the rule, to follow the name. */
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
