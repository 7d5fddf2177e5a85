import { expect, test } from 'vitest'
import { namedVideos } from '../../../../dashboard/pages/bring-in/files/named-videos.ts'

const fileOf = (path: string, text = '') => ({ path, file: new File([text], path.split('/').at(-1)!) })

test('a video comes along if a table names it in a cell, with or without its ending', async () => {
  const found = await namedVideos([
    fileOf('film/gaze.csv', 'who,item,t\nAda,dog.mp4,0\nAda,"cats/Cat",20\n'),
    fileOf('film/log.txt', 'world time\nMSG 12 world'),
    fileOf('film/dog.mp4'),
    fileOf('film/cat.webm'),
    fileOf('film/world.mp4'),
    fileOf('film/og.mp4'),
  ])
  expect([...found].sort()).toEqual(['film/cat.webm', 'film/dog.mp4'])
})

test('a name is found at the border of two steps of reading', async () => {
  const text = `${'x'.repeat(4 * 2 ** 20 - 5)},dog.mp4\n`
  expect([...(await namedVideos([fileOf('a.csv', text), fileOf('dog.mp4')]))]).toEqual(['dog.mp4'])
})

test('pictures and archives are not searched', async () => {
  expect((await namedVideos([fileOf('a.zip', ',dog,'), fileOf('dog.mp4')])).size).toBe(0)
})
