import { expect, test } from 'vitest'
import { placeIn } from '../../../dashboard/pages/pictures/as-shown.ts'
import { isPicture, isVideo, matchPictures } from '../../../dashboard/pages/pictures/match-pictures.ts'

const items = ['Cat.png', 'dog', 'a/Bird.JPG', 'fish.1', 'twin.png', 'twin.jpg'].map((filename) => ({
  id: filename,
  filename,
}))

test('pictures go to items of their names, without folders and case, with and without ending', () => {
  expect(matchPictures(['cat.png', 'DOG.webp', 'bird.png', 'fish.1.svg', 'other.png'], items)).toEqual([
    'Cat.png',
    'dog',
    'a/Bird.JPG',
    'fish.1',
    null,
  ])
})

test('a name that fits several items, or as well as another, is left to people; a whole name fits better', () => {
  expect(matchPictures(['twin.gif', 'cat.gif', 'cat.webp', 'twin.PNG'], items)).toEqual([null, null, null, 'twin.png'])
  expect(matchPictures(['cat.gif', 'cat.png'], items)).toEqual([null, 'Cat.png'])
})

test('what no browser shows is no picture', () => {
  expect(['a.png', 'a.AVIF', 'a.tiff', 'a.csv'].map((name) => isPicture({ name, type: '' }))).toEqual([
    true,
    true,
    false,
    false,
  ])
})

test('a picture stands whole, stretched, cut or in its own size in what was shown', () => {
  const [area, picture] = [
    { widthPx: 1000, heightPx: 1000 },
    { widthPx: 400, heightPx: 200 },
  ]
  const places = (['contain', 'fill', 'cover', 'none'] as const).map((how) => placeIn(area, picture, how))
  expect(places).toEqual([
    { x: 0, y: 250, widthPx: 1000, heightPx: 500 },
    { x: 0, y: 0, widthPx: 1000, heightPx: 1000 },
    { x: -500, y: 0, widthPx: 2000, heightPx: 1000 },
    { x: 300, y: 400, widthPx: 400, heightPx: 200 },
  ])
})

test('a video of the kinds that are stored is told by its type or its name, and matched as pictures are', () => {
  expect(['a.mp4', 'A.WEBM', 'a.m4v', 'a.mov', 'a.png'].map((name) => isVideo({ name, type: '' }))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
  expect(isVideo({ name: 'clip', type: 'video/webm' })).toBe(true)
  expect(matchPictures(['clip.webm'], [{ id: 'a', filename: 'stim/clip.avi' }])).toEqual(['a'])
})
