import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { checkedPictureSize } from '../../../engine/recordings/bundle/picture-size.ts'
import { mp4, webm } from '../model/video/video-bytes.ts'
import { asc, msg, recording } from './asc.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'
import { mappingOf } from './mapping.ts'

afterEach(cleanUp)

const png = (width: number, height: number): Buffer => {
  const bytes = Buffer.from('89504e470d0a1a0a0000000d49484452000000000000000008060000', 'hex')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}
/** A JPEG of 20 × 10 px, whose camera was held as `orientation` says. */
const jpeg = (orientation = 1): Buffer => {
  const exif = `4578696600004d4d002a000000080001011200030000000100${orientation.toString(16).padStart(2, '0')}0000`
  const segment = `ffe1${(exif.length / 2 + 2).toString(16).padStart(4, '0')}${exif}`
  return Buffer.from(`ffd8${segment}ffc0000b08000a00140101110000ffd9`, 'hex')
}
const gif = Buffer.from('47494638396114000a00', 'hex')
const svg = (attributes: string) => Buffer.from(`<?xml version="1.0"?>\n<svg xmlns="x" ${attributes}><g/></svg>`)

describe('a picture says how large it is', () => {
  test.each([
    ['a.png', png(800, 600), { widthPx: 800, heightPx: 600 }],
    ['a.JPG', jpeg(), { widthPx: 20, heightPx: 10 }],
    ['a.jpeg', jpeg(6), { widthPx: 10, heightPx: 20 }],
    ['a.gif', gif, { widthPx: 20, heightPx: 10 }],
    [
      'a.webp',
      Buffer.from('52494646000000005745425056503858000000000000000013000009000000000000', 'hex'),
      { widthPx: 20, heightPx: 10 },
    ],
    ['a.webp', Buffer.from('5249464600000000574542505650384c000000002f13400200', 'hex'), { widthPx: 20, heightPx: 10 }],
    ['a.svg', svg('width="20px" height="10"'), { widthPx: 20, heightPx: 10 }],
    ['a.svg', svg('width="100%" height="100%" viewBox="0 0 40 20"'), { widthPx: 40, heightPx: 20 }],
    ['a.svg', svg(''), null],
    ['a.png', png(800, 600).subarray(0, 18), null],
    ['a.png', jpeg(), undefined],
    ['a.jpg', Buffer.from('<html>'), undefined],
    ['a.txt', png(1, 1), undefined],
  ])('%s', (name, bytes, size) => {
    expect(checkedPictureSize(name, bytes)).toEqual(size)
  })
})

const mapping = mappingOf({ screen: { widthPx: 1000, heightPx: 800 } })

/** Items that are called so, and the pictures beside them: what items are called then, and what the bundle holds. */
async function taken(
  items: string[],
  given: Record<string, Buffer>,
  pictures: Map<string, string | null> | null = null,
) {
  const rows = items.flatMap((item) => [`kim,${item},0,5,5`, `kim,${item},10,5,5`])
  const table = { 'rec/gaze.csv': `who,what,t,x,y\n${rows.join('\n')}\n` }
  const files = {
    ...table,
    ...Object.fromEntries(Object.entries(given).map(([name, bytes]) => [`rec/${name}`, bytes])),
  }
  const { study, directory, conversion } = await convertAndRead([join(writeFiles(files), 'rec')], { mapping, pictures })
  const images = join(directory, 'images')
  return {
    named: study.items.map(({ filename }) => filename),
    sizes: study.items.map(({ widthPx, heightPx }) => [widthPx, heightPx]),
    images: existsSync(images) ? readdirSync(images).sort() : [],
    bytesOf: (name: string) => readFileSync(join(images, name)),
    assumed: conversion.assumed.join('\n'),
    left: conversion.left.join('\n'),
    pictures: conversion.pictures,
  }
}

describe('pictures beside recordings are those of the items of their names', () => {
  test.each<[string, string[], string[], string[]]>([
    ['the same', ['a.png'], ['a.png'], ['a.png']],
    ['another folder', ['a.png'], ['pics/a.png'], ['a.png']],
    ['another case', ['Dog.PNG'], ['dog.png'], ['Dog.PNG']],
    ['no ending', ['1'], ['1.png'], ['1.png']],
    ['another ending', ['a.bmp'], ['a.png'], ['a.png']],
    ['signs that addresses have, too', ['a#1?.png'], ['a#1?.png'], ['a#1?.png']],
    ['a point in it', ['face.v2'], ['face.v2.png'], ['face.v2.png']],
    ['a path', ['stim/a.png'], ['stim/a.png'], ['a.png']],
    ['an address', ['https://example.org/x/a.png?v=2'], ['a.png'], ['a.png']],
    ['a path of Windows', ['C:\\stim\\a.png'], ['a.png'], ['a.png']],
  ])('%s', async (_, items, pictures, named) => {
    const found = await taken(items, Object.fromEntries(pictures.map((name) => [name, png(40, 30)])))
    expect(found).toMatchObject({ named, images: named, sizes: [[40, 30]], left: '' })
    expect(found.assumed).toContain(`pictures beside the recordings belong to the items of the same name: ${named[0]}`)
  })
  test('whole, byte by byte', async () => {
    const bytes = Buffer.concat([png(40, 30), Buffer.from([0, 1, 2, 255])])
    expect((await taken(['a'], { 'a.png': bytes })).bytesOf('a.png')).toEqual(bytes)
  })
  test('unless somebody says which item a picture is of, or that it is of none', async () => {
    const given = { 'a.png': png(40, 30), 'b.png': png(20, 10), 'c.png': png(10, 10) }
    const chosen = new Map([
      ['rec/a.png', null],
      ['rec/b.png', 'a'],
    ])
    const found = await taken(['a', 'b', 'c'], given, chosen)
    expect(found).toMatchObject({
      named: ['a.png', 'b', 'c.png'],
      sizes: [
        [20, 10],
        [null, null],
        [10, 10],
      ],
    })
    expect(found.pictures).toEqual({
      files: ['rec/a.png', 'rec/b.png', 'rec/c.png'],
      items: [
        { name: 'a', picture: 'rec/b.png' },
        { name: 'b', picture: null },
        { name: 'c', picture: 'rec/c.png' },
      ],
    })
    expect((await taken(['a'], {})).pictures).toBeNull()
  })
  test('with an ending before those without', async () => {
    const found = await taken(['a.png'], { 'a.jpg': jpeg(), 'a.png': png(40, 30) })
    expect(found).toMatchObject({ named: ['a.png'], sizes: [[40, 30]] })
    expect(found.left).toMatch(/1 picture whose name fits no item, or several: rec\/a\.jpg/)
  })
  test('by their folders, where several are called the same', async () => {
    const found = await taken(['cats/1.png', 'dogs/1.png'], { 'p/cats/1.png': png(4, 3), 'p/dogs/1.png': png(5, 4) })
    expect(found).toMatchObject({
      named: ['cats_1.png', 'dogs_1.png'],
      images: ['cats_1.png', 'dogs_1.png'],
      sizes: [
        [4, 3],
        [5, 4],
      ],
    })
  })
  test('and not, where two may be meant, or none is called so', async () => {
    const found = await taken(['1', 'b'], { 'cats/1.png': png(4, 3), 'dogs/1.png': png(5, 4), 'c.png': png(1, 1) })
    expect(found).toMatchObject({ named: ['1', 'b'], images: [], assumed: expect.not.stringMatching(/pictures/) })
    expect(found.left).toMatch(/3 pictures whose name fits no item, or several: rec\/c\.png, rec\/cats\/1\.png/)
  })
  test('also where they are videos, which are as large as their headers say', async () => {
    const clip = mp4({ width: 640, height: 360, duration: 4000, frames: 100 })
    const film = webm({ width: 320, height: 240, durationMs: 2000, framesMs: [0] })
    const found = await taken(['a', 'B.webm', 'c'], { 'a.mp4': clip, 'b.webm': film, 'c.mp4': film })
    expect(found).toMatchObject({
      named: ['a.mp4', 'B.webm', 'c'],
      images: ['B.webm', 'a.mp4'],
      sizes: [
        [640, 360],
        [320, 240],
        [null, null],
      ],
    })
    expect(found.bytesOf('a.mp4')).toEqual(clip)
    expect(found.left).toMatch(
      /1 picture that cannot be played: a video must be what its ending says: it is of type video\/webm; the first is rec\/c\.mp4/,
    )
  })
  test('unless they are none, or of a kind that no browser shows', async () => {
    const found = await taken(['a', 'b'], { 'a.png': Buffer.from('no picture'), 'b.bmp': Buffer.from('BM') })
    expect(found).toMatchObject({ named: ['a', 'b'], images: [] })
    expect(found.left).toMatch(/1 picture that is not what its ending says; the first is rec\/a\.png/)
    expect(found.left).toMatch(
      /1 picture of a kind that browsers do not show: save them as PNG, videos as MP4 or WebM; the first is rec\/b\.bmp/,
    )
  })
})

describe('a picture that was loaded at a place without a size', () => {
  const content = (load: string) =>
    asc(msg(990, 'TRIALID 1'), recording(1000, 300, [msg(1000, `!V IMGLOAD ${load}`)]), msg(1040, 'TRIAL_RESULT 0'))
  const placed = async (load: string, pictures: Record<string, Buffer>) => {
    const { tests, conversion } = await convertAndRead([writeFiles({ 'kim.asc': content(load), ...pictures })])
    const place = ['left', 'top', 'width', 'height'].map((side) => tests[0][`item_display_${side}_px`]).join()
    return { place, doubts: conversion.doubts.join('\n') }
  }
  test('lies there as large as the picture beside it is', async () => {
    const pictures = { 'pics/b.png': png(800, 600) }
    expect(await placed('CENTER b.png 960 540', pictures)).toMatchObject({ place: '560,240,800,600' })
    expect(await placed('TOP_LEFT b.png 100 50', pictures)).toMatchObject({ place: '100,50,800,600' })
  })
  test('is to be checked where there is none', async () => {
    const { place, doubts } = await placed('CENTER b.png 500 540', {})
    expect(place).toBe(',,,')
    expect(doubts).toMatch(/not how large they were, as of b\.png at 500, 540: these count as filling the window/)
  })
  test('has the size that the file says, before that of the picture', async () => {
    const pictures = { 'b.png': png(80, 60) }
    expect(await placed('TOP_LEFT b.png 100 50 800 600', pictures)).toMatchObject({ place: '100,50,800,600' })
  })
})
