import { expect, test } from 'vitest'
import { filmWords, frameIn, framesFrom, frameWords, readFrameOf } from '../../../dashboard/figures/video/frame-time.ts'

test('charts are drawn on the frame in the middle of the time window, or at its start', () => {
  const window = { fromMs: '500', toMs: '1500' }
  expect(frameIn(window, 'middle', 4000)).toEqual({ tMs: 1000, of: 'middle', isLast: false, endMs: 4000 })
  expect(frameIn(window, 'start', 4000).tMs).toBe(500)
  expect(frameIn({ fromMs: '', toMs: '' }, 'middle', 4000).tMs).toBe(2000)
  expect(frameIn({ fromMs: '1000', toMs: '' }, 'middle', 4000).tMs).toBe(2500)
  expect(readFrameOf(new URLSearchParams('frame=start'))).toBe('start')
  expect(readFrameOf(new URLSearchParams('frame=x'))).toBe('middle')
})

test('a caption says which frame it is, also that of a video that has ended', () => {
  expect(frameWords(frameIn({ fromMs: '500', toMs: '1500' }, 'middle', 4000))).toBe(
    'The picture is the frame of the video at 1.000 s, the middle of the time window.',
  )
  expect(frameWords(frameIn({ fromMs: '5000', toMs: '6000' }, 'start', 4000))).toBe(
    'The picture is the last frame of the video, which ends at 4.000 s, before 5.000 s, the start of the time window.',
  )
})

test('a step goes to the start of a frame of the video', () => {
  // 25 frames a second: 40 ms each.
  expect(framesFrom(0, 1, 40)).toBe(40)
  expect(framesFrom(95, 1, 40)).toBe(120)
  expect(framesFrom(95, -1, 40)).toBe(40)
  expect(framesFrom(80, -1, 40)).toBe(40)
})

test('a replay says where the video has ended', () => {
  expect(filmWords({ durationMs: 4000 }, 3999)).toBe('')
  expect(filmWords({ durationMs: 4000 }, 4000)).toBe('The video ended at 4.000 s: its last frame is shown.')
  expect(filmWords(null, 9000)).toBe('')
})
