import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeDemoBundle } from '../../demo/write-demo.ts'

type Study = {
  id: string
  name: string
  steps: unknown[]
  items: { id: string; filename: string; widthPx: number; heightPx: number }[]
  aois: { id: string; itemId: string; name: string; parts: unknown[] }[]
}

/** Written from right to left, with a sign that turns what follows around. */
export const HEBREW = 'מחקר \u202eראשון'
export const FORMULA = '=HYPERLINK("http://example.org")'

async function demoBundle(seed: number): Promise<{ directory: string; study: Study }> {
  const directory = await mkdtemp(join(tmpdir(), 'gazette-strange-'))
  await writeDemoBundle({ directory, memoryMib: 256, participants: 3, items: 3, seconds: 2, hz: 30, seed })
  return { directory, study: JSON.parse(await readFile(join(directory, 'study.json'), 'utf8')) as Study }
}

/** Names that run the other way, names that are formulas, an AOI of two parts, and a picture that is none. */
export async function strangeBundle(): Promise<string> {
  const { directory, study } = await demoBundle(21)
  const [first, second] = study.items
  study.name = HEBREW
  const rectangle = (xPx: number) => ({
    areaPoints: { topLeft: { xPx, yPx: 20 }, bottomRight: { xPx: xPx + 200, yPx: 220 } },
  })
  study.aois = study.aois.filter(({ itemId }) => itemId !== first.id)
  study.aois.push(
    {
      id: 'aaaaaaaa-0000-4000-8000-000000000001',
      itemId: first.id,
      name: FORMULA,
      parts: [rectangle(10), rectangle(900)],
    },
    { id: 'aaaaaaaa-0000-4000-8000-000000000002', itemId: first.id, name: HEBREW, parts: [rectangle(400)] },
  )
  second.filename = 'broken.png'
  await writeFile(join(directory, 'images', 'broken.png'), 'no picture at all')
  await writeFile(join(directory, 'study.json'), JSON.stringify(study))
  const participants = await readFile(join(directory, 'participants.csv'), 'utf8')
  const [header, one, ...others] = participants.split('\n')
  const cells = one.split(',')
  cells[header.split(',').indexOf('external_id')] = '=2+3'
  await writeFile(join(directory, 'participants.csv'), [header, cells.join(','), ...others].join('\n'))
  return directory
}

/** A study that nobody took part in yet. */
export async function emptyBundle(): Promise<string> {
  const { directory, study } = await demoBundle(22)
  await writeFile(join(directory, 'study.json'), JSON.stringify({ ...study, name: 'Empty study' }))
  for (const name of ['participants.csv', 'tests.csv']) {
    const [header] = (await readFile(join(directory, name), 'utf8')).split('\n')
    await writeFile(join(directory, name), `${header}\n`)
  }
  for (const name of ['samples.parquet', 'validations.csv']) await rm(join(directory, name))
  await writeFile(join(directory, 'samples.csv'), 'test_id,t_ms\n')
  return directory
}

/** Names of 200 characters without a space, of many words, from right to left, and of emoji. */
export const LONG_NAMES = [
  'W'.repeat(200),
  'Participant recruited by panel '.repeat(7).slice(0, 200),
  'משתתף'.repeat(40),
  '👩🏽‍🔬🏳️‍🌈'.repeat(12),
]

/** A study whose own name, and those of an item, its AOIs and its participants, are as long and odd as names can be. */
export async function longNamesBundle(): Promise<string> {
  const { directory, study } = await demoBundle(23)
  const nameOf = (i: number) => LONG_NAMES[i % LONG_NAMES.length]
  study.name = nameOf(0)
  const named = study.aois.map((aoi, a) => ({ ...aoi, name: `${a} ${nameOf(a)}`.slice(0, 200) }))
  const items = study.items.map((item, i) => (i === 1 ? { ...item, filename: `${'W'.repeat(196)}.png` } : item))
  await writeFile(join(directory, 'study.json'), JSON.stringify({ ...study, items, aois: named }))
  const participants = (await readFile(join(directory, 'participants.csv'), 'utf8')).trimEnd().split('\n')
  const at = participants[0].split(',').indexOf('external_id')
  const lines = participants.slice(1).map((line, p) => line.split(',').with(at, nameOf(p)).join(','))
  await writeFile(join(directory, 'participants.csv'), [participants[0], ...lines, ''].join('\n'))
  return directory
}
