import { z } from 'zod'
import type { AoiPart } from '../../model/study.ts'
import {
  type Draft,
  type DraftItem,
  type DraftParticipant,
  type DraftTest,
  noteAssumed,
  noteLeft,
} from '../draft/draft.ts'
import { columnIn, tableHead } from '../text/foreign-table.ts'
import { instantText } from '../text/instant-text.ts'
import { parseBounded } from '../text/json-objects.ts'
import { numberIn } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import { forEachRow } from '../text/table-body.ts'
import { cellText, repeatedText } from '../text/table-rows.ts'
import { unguarded, uuidOr } from './given-text.ts'

/**
 * Facts from the reference platform's other exports beside the raw gazes: names of items and AOIs (AOI and fixation
 * files), and how a test ended (keyboard and mouse). Keys are the ids in the files.
 */
export type ReferenceCompanions = {
  items: Map<string, Partial<DraftItem>>
  participants: Map<string, Partial<DraftParticipant>>
  /** Facts about tests, by JSON of participant and item. */
  tests: Map<string, Partial<DraftTest>>
  aois: Map<string, { itemKey: string; name: string; parts: string }>
}

/** Largest text of an AOI's parts, in bytes. */
const PARTS_MAX_BYTES = 1 << 20

export function isCompanion(file: SourceFile): boolean {
  const header = tableHead(file)?.header ?? []
  return (
    columnIn(header, 'item_id') >= 0 &&
    columnIn(header, 'item_filename', 'aoi_id') >= 0 &&
    columnIn(header, 'participant_id', 'tester_id', 'aoi_id') >= 0
  )
}

export async function readReferenceCompanions(files: SourceFile[], draft: Draft): Promise<ReferenceCompanions> {
  const companions: ReferenceCompanions = {
    items: new Map(),
    participants: new Map(),
    tests: new Map(),
    aois: new Map(),
  }
  for (const file of files) await readCompanion(file, companions, draft)
  return companions
}

async function readCompanion(
  file: SourceFile,
  { items, participants, tests, aois }: ReferenceCompanions,
  draft: Draft,
) {
  draft.usedFiles.add(file.name)
  const { header } = tableHead(file)!
  const column = (...names: string[]) => columnIn(header, ...names)
  const itemKey = repeatedText(column('item_id'))
  const personKey = repeatedText(column('participant_id', 'tester_id'))
  const aoiKey = repeatedText(column('aoi_id'))
  let last = ''
  await forEachRow(file, draft, (rows) => {
    // Fixation files repeat these facts on every row.
    const key = `${itemKey(rows)} ${personKey(rows)} ${aoiKey(rows)}`
    if (key === last) return
    last = key
    const text = (...names: string[]) => unguarded(cellText(rows, column(...names), PARTS_MAX_BYTES))
    const person = (name: string) => text(`participant_${name}`, `tester_${name}`)
    const item = itemKey(rows)
    if (item !== '' && !items.has(item)) {
      const durationMs = numberIn(text('item_stimuli_duration_ms'))
      items.set(item, {
        filename: text('item_filename'),
        cdnUrl: text('item_cdn_url'),
        stimuliDurationMs: Number.isFinite(durationMs) ? durationMs : null,
      })
    }
    const aoi = aoiKey(rows)
    if (aoi !== '' && !aois.has(aoi))
      aois.set(aoi, { itemKey: item, name: text('aoi_name'), parts: text('aoi_item_parts') })
    const participant = personKey(rows)
    if (participant === '') return
    const known = participants.get(participant) ?? {}
    participants.set(participant, {
      ...known,
      ...filled({
        externalId: person('external_id'),
        displayName: person('display_name').replace(/^Anonymous$/, ''),
        createdAt: instantText(person('created_at')).instant,
      }),
    })
    if (column('test_has_finished_on_click') >= 0)
      tests.set(JSON.stringify([participant, item]), {
        finishedOnKey: text('test_finished_on_key'),
        hasFinishedOnClick: text('test_has_finished_on_click') === 'true',
      })
  })
}

function filled<T extends Record<string, string>>(facts: T): Partial<T> {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== '')) as Partial<T>
}

const px = z.object({ xPx: z.number(), yPx: z.number() })
const sizePercents = z.object({
  overallPercents: z.number().positive(),
  widthPercents: z.number().positive().optional(),
  heightPercents: z.number().positive().optional(),
})
const partsSchema = z.array(
  z.object({
    areaPoints: z.union([
      z.object({ topLeft: px, bottomRight: px }),
      z.object({ points: z.array(z.object({ x: z.number(), y: z.number() })).min(3) }),
    ]),
    timeRange: z.object({ fromMs: z.number(), toMs: z.number() }).nullish(),
    size: sizePercents.optional(),
  }),
)
type GivenPart = z.output<typeof partsSchema>[number]

/**
 * Adds the AOIs of items that have tests. A rectangle is in px of the item, so the item's size follows from the share
 * of the item that it covers.
 */
export function addReferenceAois(draft: Draft, { aois }: ReferenceCompanions): void {
  for (const [id, { itemKey, name, parts }] of aois) {
    const item = draft.itemByKey.get(itemKey)
    if (item === undefined) {
      noteLeft(draft, 'AOIs of items without a test', 1)
      continue
    }
    const given = parseParts(parts)
    if (given === null || given.length === 0) {
      noteLeft(draft, `AOI ${name}, whose aoi_item_parts cannot be read`)
      continue
    }
    const hasRectangle = given.some(({ areaPoints }) => 'topLeft' in areaPoints)
    if (hasRectangle && !sizeItem(draft, item, given)) {
      noteLeft(draft, `AOI ${name}, a rectangle in px of an item whose size is unknown`)
      continue
    }
    draft.aois.push({ id: uuidOr(id), item, name, parts: given.map(plainPart) })
  }
}

function parseParts(text: string): GivenPart[] | null {
  const parsed = partsSchema.safeParse(parseBounded(text))
  return parsed.success ? parsed.data : null
}

function plainPart({ areaPoints, timeRange }: GivenPart): AoiPart {
  return timeRange ? { areaPoints, timeRange } : { areaPoints }
}

/**
 * Computes the size of an item from a rectangle and the share of the item that it covers: of width and height if given,
 * otherwise of the area, with the aspect ratio of the displayed item. Returns whether the size is known then.
 */
function sizeItem(draft: Draft, item: number, parts: GivenPart[]): boolean {
  const found = draft.items[item]
  if (found.widthPx !== null && found.heightPx !== null) return true
  const display = draft.tests.find((test) => test.item === item && test.display !== null)?.display
  for (const { areaPoints, size } of parts) {
    if (!('topLeft' in areaPoints) || !size) continue
    const widthPx = areaPoints.bottomRight.xPx - areaPoints.topLeft.xPx
    const heightPx = areaPoints.bottomRight.yPx - areaPoints.topLeft.yPx
    if (size.widthPercents && size.heightPercents) {
      found.widthPx = Math.round((widthPx / size.widthPercents) * 100)
      found.heightPx = Math.round((heightPx / size.heightPercents) * 100)
    } else if (display) {
      const areaPx = ((widthPx * heightPx) / size.overallPercents) * 100
      const shape = display.widthPx / display.heightPx
      found.widthPx = Math.round(Math.sqrt(areaPx * shape))
      found.heightPx = Math.round(Math.sqrt(areaPx / shape))
    } else continue
    noteAssumed(draft, 'the size of an item is what its rectangular AOIs cover of it')
    return true
  }
  return false
}
