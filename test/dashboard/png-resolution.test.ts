import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { withResolution } from '../../dashboard/core/png-resolution.ts'

test('a PNG says its resolution right after its header, with a valid CRC, and is otherwise as it was', () => {
  const png = new Uint8Array(Array.from({ length: 60 }, (_, i) => i))
  const sized = withResolution(png, 300)
  expect(sized.length).toBe(81)
  expect([...sized.subarray(0, 33), ...sized.subarray(54)]).toEqual([...png])
  const view = new DataView(sized.buffer)
  expect(new TextDecoder().decode(sized.subarray(37, 41))).toBe('pHYs')
  // 300 to an inch of 0.0254 m.
  expect([view.getUint32(33), view.getUint32(41), view.getUint32(45), sized[49]]).toEqual([9, 11811, 11811, 1])
  expect(view.getUint32(50)).toBe(crc32(sized.subarray(37, 50)))
})
