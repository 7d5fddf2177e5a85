import { expect, test } from 'vitest'
import { videoFacts, videoTypeOf } from '../../../../engine/model/video/video-facts.ts'
import { box, element, mp4, webm } from './video-bytes.ts'

function factsOf(bytes: Buffer) {
  return videoFacts(async (offset, length) => bytes.subarray(offset, offset + length), bytes.length)
}

const faultOf = (bytes: Buffer) =>
  factsOf(bytes).then(
    () => null,
    ({ message }: Error) => message,
  )

const CLIP = { width: 640, height: 360, duration: 4000, frames: 100 }

test('an MP4 says its size, duration and frame rate', async () => {
  const facts = { type: 'video/mp4', widthPx: 640, heightPx: 360, durationMs: 4000, frameRateHz: 25 }
  expect(await factsOf(mp4(CLIP))).toEqual(facts)
  expect(await factsOf(mp4({ ...CLIP, hasSound: true }))).toEqual(facts)
})

test('a video that was filmed upright is as large as it is shown', async () => {
  expect(await factsOf(mp4({ ...CLIP, isTurned: true }))).toMatchObject({ widthPx: 360, heightPx: 640 })
})

test('fragments of an MP4 say how long it is, where its header does not', async () => {
  // 50 + 25 frames of 40 ms.
  const facts = await factsOf(mp4({ ...CLIP, duration: 0, frames: 0, fragments: [50, 25] }))
  expect(facts).toMatchObject({ durationMs: 3000, frameRateHz: 25 })
})

test('a WebM says its size, duration and frame rate', async () => {
  const bytes = webm({ width: 320, height: 240, durationMs: 2500, frameNs: 20_000_000, framesMs: [0] })
  const facts = { type: 'video/webm', widthPx: 320, heightPx: 240, durationMs: 2500, frameRateHz: 50 }
  expect(await factsOf(bytes)).toEqual(facts)
})

test('the frames of a recorded WebM say how long it is: from the first to the last, and one more', async () => {
  const bytes = webm({ width: 320, height: 240, durationMs: null, framesMs: [0, 500, 1000, 1500] })
  expect(await factsOf(bytes)).toMatchObject({ durationMs: 2000, frameRateHz: 2 })
})

test('an invalid or truncated video is refused by the rule that it breaks', async () => {
  expect(await faultOf(Buffer.from('GIF89a'))).toBe('must be an MP4 or a WebM video')
  expect(await faultOf(Buffer.alloc(0))).toBe('must be an MP4 or a WebM video')
  const whole = mp4(CLIP)
  expect(await faultOf(whole.subarray(0, -1))).toMatch(/^must be whole/)
  expect(await faultOf(box('ftyp', Buffer.from('isom')))).toBe('must have a header (moov)')
  expect(await faultOf(mp4({ ...CLIP, width: 0 }))).toBe('must give the size of its picture')
  expect(await faultOf(mp4({ ...CLIP, duration: 0, frames: 0 }))).toBe('must give its duration, of at most a day')
  const sound = Buffer.from(whole.toString('latin1').replace('vide', 'soun'), 'latin1')
  expect(await faultOf(sound)).toBe('must have a video track')
  const recorded = webm({ width: 320, height: 240, durationMs: null, framesMs: [0, 40] })
  expect(await faultOf(recorded.subarray(0, -5))).toMatch(/^must be whole/)
  expect(await faultOf(webm({ width: 1, height: 1, durationMs: 1, framesMs: [] }))).toBe('must have frames')
  expect(videoTypeOf(webm({ width: 1, height: 1, durationMs: 1, framesMs: [], docType: 'matroska' }))).toBeNull()
})

test('hostile headers end in a sentence, whatever stands in them', async () => {
  const tiny = Buffer.concat([box('ftyp', Buffer.from('isom')), ...Array.from({ length: 200_001 }, () => box('free'))])
  expect(await faultOf(tiny)).toBe('must have at most 200000 parts')
  const short = Buffer.concat([box('ftyp', Buffer.from('isom')), Buffer.from('00000004moov')])
  expect(await faultOf(short)).toMatch(/^must /)
  expect(
    await faultOf(Buffer.concat([element(0x1a45dfa3, element(0x4282, Buffer.from('webm'))), Buffer.alloc(64)])),
  ).toBe('must consist of EBML elements')
  // Each byte of a whole one replaced by others: facts or a sentence, and never a bug.
  for (const whole of [mp4(CLIP), webm({ width: 320, height: 240, durationMs: null, framesMs: [0, 40] })])
    for (let at = 0; at < whole.length; at++)
      for (const value of [0, 1, 0x7f, 0xff]) {
        const bytes = Buffer.from(whole)
        bytes[at] = value
        expect((await faultOf(bytes)) ?? 'must be well').toMatch(/^must /)
      }
})
