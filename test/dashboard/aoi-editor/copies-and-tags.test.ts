import { expect, test, vi } from 'vitest'
import type { Aoi, Item } from '../../../dashboard/core/api.ts'
import { unsavedItems } from '../../../dashboard/core/unsaved-aois.ts'
import { type KeyParts, pressKey } from '../../../dashboard/pages/aoi-editor/board/keys.ts'
import { aoiChanges } from '../../../dashboard/pages/aoi-editor/draft/compare-aois.ts'
import { sameNames, tagsIn } from '../../../dashboard/pages/aoi-editor/draft/names-and-tags.ts'
import { copyTo } from '../../../dashboard/pages/aoi-editor/shapes/parts.ts'
import { readAoiFile } from '../../../dashboard/pages/aoi-editor/shapes/read-aoi-file.ts'

const item = (id: string, widthPx: number | null, heightPx: number | null) => ({ id, widthPx, heightPx }) as Item
const [LARGE, SMALL, UNKNOWN] = [item('large', 1000, 500), item('small', 500, 250), item('unknown', null, null)]

const AOI: Aoi = {
  id: 'a',
  itemId: 'large',
  name: 'Logo',
  tags: ['logo'],
  parts: [
    { areaPoints: { topLeft: { xPx: 100, yPx: 50 }, bottomRight: { xPx: 200, yPx: 100 } } },
    {
      areaPoints: {
        points: [
          { x: 0.1, y: 0.1 },
          { x: 0.2, y: 0.1 },
          { x: 0.2, y: 0.3 },
        ],
      },
      timeRange: { fromMs: 0, toMs: 500 },
    },
  ],
}

test('a copy lies at the same share of another item, or at the same pixels, with tags and times', () => {
  const byShare = copyTo(AOI, LARGE, SMALL, 'share')
  expect(byShare).toMatchObject({ itemId: 'small', name: 'Logo', tags: ['logo'] })
  expect(byShare.id).not.toBe('a')
  expect(byShare.parts[0].areaPoints).toEqual({ topLeft: { xPx: 50, yPx: 25 }, bottomRight: { xPx: 100, yPx: 50 } })
  expect(byShare.parts[1]).toEqual(AOI.parts[1])
  const byPlace = copyTo(AOI, LARGE, SMALL, 'place')
  expect(byPlace.parts[0].areaPoints).toEqual(AOI.parts[0].areaPoints)
  expect(byPlace.parts[1]).toEqual({
    areaPoints: {
      points: [
        { x: 0.2, y: 0.2 },
        { x: 0.4, y: 0.2 },
        { x: 0.4, y: 0.6 },
      ],
    },
    timeRange: { fromMs: 0, toMs: 500 },
  })
  // An item of unknown size has shares only.
  expect(copyTo(AOI, LARGE, UNKNOWN, 'place').parts).toEqual(copyTo(AOI, LARGE, UNKNOWN, 'share').parts)
})

test('AOIs of one name are told by their numbers', () => {
  const named = ['Logo', 'Text', 'Logo', 'Logo'].map((name) => ({ name }))
  expect(named.map((_, a) => sameNames(named, a))).toEqual([[3, 4], [], [1, 4], [1, 3]])
})

test('tags are read between commas, each once, and a change of them is a difference', () => {
  expect(tagsIn(' logo, Brand ,, logo')).toEqual(['logo', 'Brand'])
  expect(aoiChanges([AOI], [{ ...AOI, tags: ['brand'] }])).toEqual([{ id: 'a', name: 'Logo', did: 'different tags' }])
  const { tags: _, ...plain } = AOI
  expect(aoiChanges([plain], [{ ...plain, tags: [] }])).toEqual([{ id: 'a', name: 'Logo', did: '' }])
})

test('a file keeps the tags of its AOIs, and anything but a list of texts is a fault', async () => {
  const file = (aois: unknown) => new File([JSON.stringify(aois)], 'aois.json')
  const read = (aois: unknown) => readAoiFile(file(aois), 'large', LARGE, () => Promise.reject(new Error('no CSV')))
  expect((await read([AOI])).aois).toEqual([{ name: 'Logo', parts: AOI.parts, tags: ['logo'] }])
  expect((await read([{ ...AOI, tags: [7] }])).faults).toEqual(['aois[0].tags must be a list of texts.'])
})

test('drafts are found by the names under which a tab keeps them', () => {
  const names = ['gazette-aois s1 i1', 'gazette-aois s2 i2', 'gazette-aois s3', 'other s1 i1', 'gazette-aois a b c']
  expect(unsavedItems(names)).toEqual([
    { studyId: 's1', itemId: 'i1' },
    { studyId: 's2', itemId: 'i2' },
  ])
})

test('Enter closes a polygon whose corners were pressed, and sets a corner where keys have a cross', () => {
  const sketching = (count: number) => ({
    now: { current: { tool: 'polygon', points: Array.from({ length: count }, () => [0, 0]), at: [0, 0] } },
    put: vi.fn(),
    finish: vi.fn(),
  })
  const press = (count: number, cursor: [number, number] | null, tool = 'polygon') => {
    const made = sketching(count)
    const parts = { tool, cursor, sketching: made, view: { x: 0, y: 0, size: 1 }, setCursor: () => {}, say: () => {} }
    expect(pressKey({ key: 'Enter' } as KeyboardEvent, parts as unknown as KeyParts)).toBe(true)
    return [made.finish.mock.calls.length, made.put.mock.calls.length]
  }
  expect(press(3, null)).toEqual([1, 0])
  expect(press(2, null)).toEqual([0, 1])
  expect(press(3, [0.5, 0.5])).toEqual([0, 1])
  expect(press(3, null, 'rectangle')).toEqual([0, 1])
})
