import { expect, test } from 'vitest'
import { pictureSize, sizeFault } from '../../../engine/model/picture-size.ts'
import { haveSameShape } from '../../../isomorphic/same-shape.ts'

const size = (widthPx: number, heightPx: number) => ({ widthPx, heightPx })
const svg = (root: string) =>
  pictureSize(Buffer.from(`<?xml version="1.0"?>\n<!-- > -->${root}</svg>`), 'image/svg+xml')

test('an SVG has the size that it says in px, else the shape of its box, else none', () => {
  expect(svg('<svg width="300" height="150">')).toEqual(size(300, 150))
  expect(svg(`<svg\n title='a > b' height='1.5e2px' width = "30.5">`)).toEqual(size(30.5, 150))
  expect(svg('<svg width="100%" height="100%" viewBox="0 0 1280 800">')).toEqual(size(1280, 800))
  expect(svg('<svg viewBox="-5,-5, 40 20">')).toEqual(size(40, 20))
  expect(svg('<svg width="10cm" height="5cm">')).toBeNull()
  expect(svg('<svg xmlns="http://www.w3.org/2000/svg">')).toBeNull()
  expect(svg('<svg viewBox="0 0 0 0">')).toBeNull()
  expect(svg('<svg stroke-width="3" line-height="4">')).toBeNull()
})

const hex = (text: string) => Buffer.from(text.replace(/\s/g, ''), 'hex')

test('PNG, GIF and WebP have the size of their headers', () => {
  expect(pictureSize(hex('89504e470d0a1a0a 0000000d49484452 00000500 00000320 0806'), 'image/png')).toEqual(
    size(1280, 800),
  )
  expect(pictureSize(Buffer.from('GIF89a\x40\x01\xf0\x00', 'latin1'), 'image/gif')).toEqual(size(320, 240))
  const riff = '52494646 00000000 57454250'
  expect(pictureSize(hex(`${riff} 56503820 00000000 000000 9d012a 4001 f000`), 'image/webp')).toEqual(size(320, 240))
  // 14 bits of width less 1, then of height less 1: 319 and 239.
  expect(pictureSize(hex(`${riff} 5650384c 00000000 2f 3fc13b00`), 'image/webp')).toEqual(size(320, 240))
  expect(pictureSize(hex(`${riff} 56503858 0a000000 00000000 3f0100 ef0000`), 'image/webp')).toEqual(size(320, 240))
})

test('a JPEG has the size of its frame, on its side where the camera was held so', () => {
  const frame = 'ffc0 0011 08 00f0 0140 03'
  const exif = (orientation: string, order = '4949') =>
    order === '4949'
      ? `ffe1 0022 457869660000 4949 2a00 08000000 0100 1201 0300 01000000 ${orientation}00 0000 00000000`
      : `ffe1 0022 457869660000 4d4d 002a 00000008 0001 0112 0003 00000001 00${orientation} 0000 00000000`
  const jpeg = (...parts: string[]) => pictureSize(hex(`ffd8 ${parts.join(' ')}`), 'image/jpeg')
  expect(jpeg('ffe0 0004 0000', 'ffc4 0003 00', frame)).toEqual(size(320, 240))
  expect(jpeg(exif('01'), frame)).toEqual(size(320, 240))
  expect(jpeg(exif('06'), frame)).toEqual(size(240, 320))
  expect(jpeg(exif('08', '4d4d'), frame)).toEqual(size(240, 320))
})

test('a truncated file, another file or another type has no size', () => {
  expect(pictureSize(hex('89504e47'), 'image/png')).toBeNull()
  expect(pictureSize(Buffer.from('x'.repeat(100)), 'image/png')).toBeNull()
  expect(pictureSize(hex('ffd8 ffe0 0010'), 'image/jpeg')).toBeNull()
  for (const type of ['image/gif', 'image/webp', 'image/jpeg', 'image/svg+xml', 'image/avif'])
    expect(pictureSize(Buffer.from('x'.repeat(100)), type)).toBeNull()
})

test('shapes are the same up to a hundredth, whatever the size', () => {
  expect(haveSameShape(size(1280, 800), size(640, 400))).toBe(true)
  expect(haveSameShape(size(1000, 563), size(16, 9))).toBe(true)
  expect(haveSameShape(size(1000, 500), size(1000, 506))).toBe(false)
  expect(haveSameShape(size(1000, 506), size(1000, 500))).toBe(false)
})

test('a picture has sides of 1 to 100,000 px', () => {
  const png = (width: string, height: string) => hex(`89504e470d0a1a0a 0000000d49484452 ${width} ${height} 0806`)
  expect(sizeFault(png('00000000', '00000000'))).toBe('is 0 × 0 px: a side has 1 to 100000 px')
  expect(sizeFault(png('80000000', '00000001'))).toBe('is 2147483648 × 1 px: a side has 1 to 100000 px')
  expect(sizeFault(png('000186a0', '00000001'))).toBeNull()
  expect(sizeFault(Buffer.from('<svg width="0" height="0">'))).toBeNull()
  expect(sizeFault(Buffer.from('no picture'))).toBeNull()
})
