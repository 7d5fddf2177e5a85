import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { removeFromStudy, type Terminal } from '../../bin/commands/remove.ts'
import { openTokens } from '../../engine/access/tokens.ts'
import { readConfig } from '../../engine/model/settings.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { GOLDEN_STUDY, rowsOf } from '../engine/studies.ts'
import { gazette } from './gazette.ts'

const bundle = fileURLToPath(new URL('../golden/bundle', import.meta.url))
let data: string
let held: string
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'gazette-remove-'))
  const { stderr } = await gazette(['import', bundle, '--data', data])
  held = /: (.*)\.\n$/.exec(stderr)![1]
})
afterEach(() => rm(data, { recursive: true, force: true }))

const run = (...options: string[]) => gazette(['remove', '--study', GOLDEN_STUDY, '--data', data, ...options])
const studyName = async () => JSON.parse(await readFile(join(bundle, 'study.json'), 'utf8')).name
const isThere = async () => (await openStudies(data).studyIds()).includes(GOLDEN_STUDY)

describe('gazette remove', () => {
  test('only says what would go, with --dry-run', async () => {
    const { code, stderr } = await run('--dry-run')
    expect(code).toBe(0)
    expect(stderr).toBe(
      `Would delete study ${await studyName()} (${GOLDEN_STUDY}): ${held}, with 0 finished exports. Nothing was deleted.\n`,
    )
    expect(await isThere()).toBe(true)
  })

  test('names a participant with what goes along', async () => {
    const [participant] = (await rowsOf((await openStudies(data).current(GOLDEN_STUDY))!)).participants
    const dry = await run('--dry-run', '--participant', participant.id.toUpperCase())
    expect(dry.stderr).toMatch(
      new RegExp(
        `^Would delete participant .*${participant.id}.*: \\d+ tests?, \\d+ samples? of study .*, with 0 finished`,
        'i',
      ),
    )
    expect(await run('--participant', participant.id, '--yes')).toMatchObject({ code: 0 })
    const { participants } = await rowsOf((await openStudies(data).current(GOLDEN_STUDY))!)
    expect(participants.map(({ id }) => id)).not.toContain(participant.id)
  })

  test('deletes nothing without a terminal and --yes', async () => {
    const { code, stderr } = await run()
    expect(code).toBe(2)
    expect(stderr).toMatch(/^gazette: add --yes to delete study .*: nobody can be asked without a terminal\n$/)
    expect(await isThere()).toBe(true)
  })

  test('deletes with --yes, with the links to it', async () => {
    const link = await gazette(['token', 'link', `/studies/${GOLDEN_STUDY}`, '--whole', '--data', data])
    expect(link).toMatchObject({ code: 0 })
    expect(await openTokens(data).list()).toHaveLength(1)
    const { code, stderr } = await run('--yes')
    expect(await openTokens(data).list()).toEqual([])
    expect(code).toBe(0)
    expect(stderr).toMatch(/^Deleted study .*\n$/)
    expect(await isThere()).toBe(false)
    expect((await run('--dry-run')).code).toBe(1)
  })

  test('deletes a study of which no whole snapshot is left', async () => {
    const study = join(data, 'studies', GOLDEN_STUDY)
    const [snapshot] = (await readdir(study)).filter((name) => name.length === 64)
    await rm(join(study, snapshot, 'tests.parquet'))
    const { code, stderr } = await run('--yes')
    expect(stderr).toContain(`Deleted what is left of study ${GOLDEN_STUDY}`)
    expect(code).toBe(0)
  })
})

describe('on a terminal', () => {
  /** Answers what is asked; what was asked is in `asked`. */
  const answering = (answer: string) => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const terminal: Terminal = { input, output, isPerson: true }
    let asked = ''
    output.setEncoding('utf8').on('data', (text) => {
      asked += text
    })
    input.write(`${answer}\n`)
    const config = readConfig({ DATA_DIR: data })
    return {
      asked: () => asked,
      remove: (yes: boolean) => removeFromStudy({ study: GOLDEN_STUDY, yes, config }, terminal),
    }
  }

  test.each(['', 'n', 'no', 'what?'])('the answer %j keeps the study', async (answer) => {
    const { remove, asked } = answering(answer)
    await expect(remove(false)).rejects.toThrow('nothing was deleted')
    expect(asked()).toContain(
      `Delete study ${await studyName()} (${GOLDEN_STUDY}): ${held}, with 0 finished exports? [y/N]`,
    )
    expect(await isThere()).toBe(true)
  })

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s instead of an answer keeps the study', async (_, key) => {
    const input = Object.assign(new PassThrough(), { isTTY: true })
    const output = Object.assign(new PassThrough(), { isTTY: true })
    output.once('data', () => input.write(key))
    const config = readConfig({ DATA_DIR: data })
    const removing = removeFromStudy({ study: GOLDEN_STUDY, config }, { input, output, isPerson: true })
    await expect(removing).rejects.toThrow('nothing was deleted')
    expect(await isThere()).toBe(true)
  })

  test.each(['y', 'YES'])('the answer %j deletes it', async (answer) => {
    await answering(answer).remove(false)
    expect(await isThere()).toBe(false)
  })

  test('nothing is asked with --yes', async () => {
    const { remove, asked } = answering('n')
    await remove(true)
    expect(asked()).toBe('')
    expect(await isThere()).toBe(false)
  })
})
