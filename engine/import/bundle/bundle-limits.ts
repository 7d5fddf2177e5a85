/**
 * How much a bundle may hold (docs/bundle.md lists it), so that no file from a stranger takes more than a gibibyte of
 * memory. What samples may take is a setting.
 */
const MIB = 2 ** 20

export const STUDY_JSON_MAX_BYTES = 16 * MIB
/** Values, objects and lists of study.json together, and how deep they may lie in each other. */
export const STUDY_JSON_MAX_VALUES = 1_000_000
export const STUDY_JSON_MAX_DEPTH = 64

export const ITEMS_MAX = 10_000
export const STEPS_MAX = 10_000
export const AOIS_MAX = 10_000
export const PARTS_MAX = 1000
export const POLYGON_POINTS_MAX = 1000
/** Of all polygons of a study together. */
export const POINTS_MAX = 100_000

export const PARTICIPANTS_MAX = 100_000
export const TESTS_MAX = 250_000
export const VALIDATIONS_MAX = 1_000_000
/** Of participants.csv and tests.csv, unpacked. */
export const TABLE_MAX_BYTES = 64 * MIB
/** Of a CSV's record, which is held as text. */
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

/** What samples may take; see the settings IMPORT_MAX_SAMPLES and IMPORT_MAX_GIB. */
export type SampleLimits = {
  samplesMax: number
  /** Of samples unpacked, and of scratch files while they are sorted. */
  maxBytes: number
}

const GIB = 2 ** 30
export const SAMPLE_LIMITS: SampleLimits = { samplesMax: 1e9, maxBytes: 64 * GIB }

/** What a staged sample takes, whatever little a Parquet file makes of many that are alike. */
export const STAGED_SAMPLE_BYTES = 64

/** How many bytes a file may hold unpacked, and the rule that says so, after the file's name. */
export function unpackedLimit({ maxBytes }: SampleLimits): { mostBytes: number; rule: string } {
  return { mostBytes: maxBytes, rule: `must have at most ${inGib(maxBytes)} unpacked (IMPORT_MAX_GIB)` }
}

/** The limits that the settings give. */
export function sampleLimits(config: { importMaxSamples: number; importMaxGib: number }): SampleLimits {
  return { samplesMax: config.importMaxSamples, maxBytes: config.importMaxGib * GIB }
}

export function inGib(bytes: number): string {
  return `${bytes / GIB} GiB`
}

export function inMib(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`
}
