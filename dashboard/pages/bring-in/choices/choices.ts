import type { ImportToStudy } from '../../../core/api.ts'
import { listOf, type MappingDraft, mappingOf } from './mapping-draft.ts'

/** Choices for the files, as in the form. */
export type Choices = {
  /** Study to add to; null for a new one. */
  into: string | null
  /** Snapshot of that study whose data the files replace; null to add to them. */
  replaces: string | null
  name: string
  /** Project of a new study; '' for that of its bundle, or none. */
  project: string
  /** Name of a format; '' to detect it from the content. */
  format: string
  mapping: MappingDraft | null
  widthPx: string
  heightPx: string
  /** One line per participant with a different screen. */
  screens: string
  trialMessage: string
  endMessage: string
  itemMessage: string
  onsetMessage: string
  eventMessage: string
  aois: boolean
  /** True to publish recordings without any gaze. */
  force: boolean
  tags: string
  externalData: string
  /** Names of items by those of pictures, if chosen by hand; null for none. */
  pictures: Record<string, string | null>
}

export const NO_CHOICES: Choices = {
  into: null,
  replaces: null,
  name: '',
  project: '',
  format: '',
  mapping: null,
  widthPx: '',
  heightPx: '',
  screens: '',
  trialMessage: '',
  endMessage: '',
  itemMessage: '',
  onsetMessage: '',
  eventMessage: '',
  aois: false,
  force: false,
  tags: '',
  externalData: '',
  pictures: {},
}

/** Format for tables that no other format fits. */
export const BY_MAPPING = 'generic'
const SIDE_MAX_PX = 100_000

export type AskedImport = Omit<ImportToStudy, 'uploads' | 'dryRun'> & { project?: string }
/** @property missing choices still to be made @property faults choices that are invalid */
type ReadChoices = { body: AskedImport; missing: string[]; faults: string[] }

/** Returns the request of the choices, and what is missing and wrong in them, as sentences. */
export function readImportChoices(choices: Choices): ReadChoices {
  const faults: string[] = []
  // One side of the size is typed first; half a size is no fault yet.
  const isHalf =
    (choices.widthPx.trim() === '' && !Number.isNaN(sideOf(choices.heightPx))) ||
    (choices.heightPx.trim() === '' && !Number.isNaN(sideOf(choices.widthPx)))
  const screen = isHalf ? null : screenOf(choices, faults)
  const screens = screensOf(choices.screens, faults)
  const mapped = choices.mapping === null ? null : mappingOf(choices.mapping)
  faults.push(...(mapped?.faults ?? []))
  const missing = [...(mapped?.missing ?? [])]
  if (isHalf) missing.push(`Enter the ${choices.widthPx.trim() === '' ? 'width' : 'height'} of the screen, too.`)
  const isNew = choices.into === null || choices.replaces !== null
  if (mapped !== null && choices.widthPx.trim() + choices.heightPx.trim() + choices.screens.trim() === '' && isNew)
    missing.push('Enter the size of the screen in px: the table lacks it.')
  const messages = {
    trial: choices.trialMessage || undefined,
    end: choices.endMessage || undefined,
    item: choices.itemMessage || undefined,
    onset: choices.onsetMessage || undefined,
  }
  const pictures = Object.entries(choices.pictures ?? {}).map(([picture, item]) => ({ picture, item }))
  const given = {
    name: choices.into === null ? choices.name.trim() : '',
    project: choices.into === null ? (choices.project ?? '').trim() : '',
    format: mapped === null ? choices.format : '',
    tags: listOf(choices.tags),
    externalData: listOf(choices.externalData),
    screens,
  }
  return {
    missing,
    faults,
    body: {
      ...(choices.into !== null && choices.replaces !== null ? { replace: true } : {}),
      ...(given.name === '' ? {} : { name: given.name }),
      ...(given.project === '' ? {} : { project: given.project }),
      ...(given.format === '' ? {} : { format: given.format }),
      ...(mapped === null ? {} : { mapping: mapped.mapping }),
      ...(screen === null ? {} : { screen }),
      ...(screens.length === 0 ? {} : { screens }),
      ...(Object.values(messages).some((pattern) => pattern !== undefined) ? { messages } : {}),
      ...(choices.eventMessage ? { events: choices.eventMessage } : {}),
      ...(choices.aois ? { aois: true } : {}),
      ...(choices.force ? { force: true } : {}),
      ...(given.tags.length === 0 ? {} : { tags: given.tags }),
      ...(given.externalData.length === 0 ? {} : { externalData: given.externalData }),
      ...(pictures.length === 0 ? {} : { pictures }),
    },
  }
}

function screenOf({ widthPx, heightPx }: Choices, faults: string[]): { widthPx: number; heightPx: number } | null {
  if (widthPx.trim() === '' && heightPx.trim() === '') return null
  const size = { widthPx: sideOf(widthPx), heightPx: sideOf(heightPx) }
  if (!Number.isNaN(size.widthPx) && !Number.isNaN(size.heightPx)) return size
  faults.push(
    `The size of a screen must be two whole numbers of px up to ${SIDE_MAX_PX}, such as 1920 and 1080, not “${widthPx}” and “${heightPx}”.`,
  )
  return null
}

/** Parses a side of a screen in px; NaN if invalid. */
export function sideOf(text: string): number {
  const side = /^\s*\d+\s*$/.test(text) ? Number(text) : Number.NaN
  return side >= 1 && side <= SIDE_MAX_PX ? side : Number.NaN
}

/** Parses lines like "Kim, 1280, 1024". */
function screensOf(text: string, faults: string[]): NonNullable<AskedImport['screens']> {
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return []
    const [, participant = '', width = '', height = ''] = /^(.*?)[,;\s]\s*(\d+)\s*[x×,;\s]\s*(\d+)\s*$/.exec(line) ?? []
    const size = { widthPx: sideOf(width), heightPx: sideOf(height) }
    if (participant.trim() !== '' && !Number.isNaN(size.widthPx) && !Number.isNaN(size.heightPx))
      return [{ participant: participant.trim(), ...size }]
    faults.push(
      `Line ${i + 1} of the screens must be a name, a width and a height, such as “Kim, 1280, 1024”, not “${line.trim()}”.`,
    )
    return []
  })
}
