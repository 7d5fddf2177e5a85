import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { GOLDEN_STUDY } from '../engine/studies.ts'
import {
  CLIENTS,
  GUARDED_STUDY,
  ITEM,
  need,
  type Outside,
  openBadWire,
  openOutside,
  rowCounts,
  transitionsOf,
} from './outside.ts'

/** The first that has pandas, else the first that there is; PYTHON may name another one. */
const PYTHONS = [process.env.PYTHON ?? 'python3', 'python3', '/usr/bin/python3']
const PYTHON =
  PYTHONS.find((each) => spawnSync(each, ['-c', 'import pandas']).status === 0) ??
  PYTHONS.find((each) => spawnSync(each, ['--version']).status === 0) ??
  'python3'
const PANDAS = ['-c', 'import pandas']

let outside: Outside
/** The built wheel is what is tested: Python imports from it as it is. */
let wheel: string
beforeAll(async () => {
  outside = await openOutside()
  if (spawnSync(PYTHON, ['--version']).status !== 0) return
  const dist = join(outside.directory, 'dist')
  await outside.run(PYTHON, [join(CLIENTS, 'python/build_backend.py'), dist])
  wheel = join(dist, (await readdir(dist)).find((name) => name.endsWith('.whl'))!)
})
afterAll(() => outside.close())

/** Runs Python below a client that is open as `gazette`, and returns what it printed. */
function python(code: string, env: Record<string, string> = {}): Promise<string> {
  const begin = 'import os\nfrom gazette_client import *\ngazette, study = Gazette(), os.environ["STUDY"]\n'
  return outside.run(PYTHON, ['-W', 'error', '-c', begin + code], { PYTHONPATH: wheel, ...env })
}

test('the first lines of the README give a data frame', async (context) => {
  need(context, PYTHON, PANDAS, 'Python with pandas')
  const [, code] = /```python\n([\s\S]*?)```/.exec(readFileSync(join(CLIENTS, 'python/README.md'), 'utf8'))!
  const own = code.replace('http://127.0.0.1:8080', outside.service.url).replace('THE-TOKEN', outside.service.read)
  expect(code.trim().split('\n')).toHaveLength(3)
  expect(await python(`${own}\nprint(type(fixations).__name__, len(fixations), list(fixations)[:2])`)).toMatch(
    /^DataFrame \d+ \['study_id', 'item_id'\]\n$/,
  )
})

test('the example ends in a figure', async (context) => {
  need(context, PYTHON, ['-c', 'import pandas, matplotlib'], 'Python with pandas and matplotlib')
  await outside.run(PYTHON, [join(CLIENTS, 'python/example.py')], { PYTHONPATH: wheel, MPLBACKEND: 'agg' })
  expect(await readFile(join(outside.directory, 'dwell.svg'), 'utf8')).toContain('</svg>')
})

/**
 * NDJSON has types of its own, so each cell of the others is compared with it. What is made of Parquet is compared
 * where pyarrow is.
 */
const COMPARE = `
studies = ["${GUARDED_STUDY}", study]
import importlib.util, json, gazette_client.tables as tables
for export in gazette.exports():
  for study in studies:
    rows = gazette.export(export["name"], study, "rows")
    frames = [gazette.export(export["name"], study)]
    if importlib.util.find_spec("pyarrow"):
        tables.find_spec = lambda name: None
        tables.need = lambda kind: None
        frames.append(gazette.export(export["name"], study))
        tables.find_spec = importlib.util.find_spec
    for frame in frames:
        assert len(frame) == len(rows), export
        for name in frame.columns:
            for cell, row in zip(frame[name].astype(object), rows):
                value = row[name]
                is_missing = cell is None or cell is __import__("pandas").NA or cell != cell
                same = value is None if is_missing else cell == (json.loads(value) if isinstance(cell, list) and isinstance(value, str) else value)
                assert same, (export["name"], name, cell, value)
    print(export["name"], len(rows), len(frames[0].columns))
`

test('every cell of every export is the same in a data frame as in NDJSON: types, what is missing, text with a guard', async (context) => {
  need(context, PYTHON, PANDAS, 'Python with pandas')
  const printed = await python(COMPARE)
  const first = `gazette.export("keyboard-mouse-overall", "${GUARDED_STUDY}").iloc[0]`
  expect(await python(`print(${first}.participant_external_id, ${first}.participant_display_name)`)).toBe("'=x ''-1\n")
  const counts = await rowCounts(outside)
  for (const { name, columns } of EXPORTS) {
    const [, rows, width] = [...printed.matchAll(new RegExp(`^${name} (\\d+) (\\d+)$`, 'gm'))].at(-1) ?? []
    expect([Number(rows), Number(width) >= columns.length], name).toEqual([counts.get(name), true])
  }
})

test('a large export is waited for and downloaded, a known one asked for by its tag, a changed file downloaded again', async (context) => {
  need(context, PYTHON, ['--version'], 'Python')
  outside.statuses()
  const told = await python(
    `
stages = []
ask = lambda: gazette.export("gazes-split", study, "rows", movingMedianRangeMs=151, progress=lambda *each: stages.append(each))
first = ask()
assert {stage for stage, _, _ in stages} == {"computing", "downloading"} and stages[-1][1] == stages[-1][2], stages
assert ask() == first
[file] = [each for each in os.scandir(os.environ["GAZETTE_CACHE"]) if not each.name.endswith(".json")]
print(oct(file.stat().st_mode), oct(os.stat(os.environ["GAZETTE_CACHE"]).st_mode))
open(file.path, "ab").write(b"{}")
assert ask() == first
print(len(first))`,
    { GAZETTE_CACHE: join(outside.directory, 'cache') },
  )
  expect(outside.statuses()).toEqual([202, 200, 304, 200])
  expect(told).toMatch(/^0o100600 0o40700\n\d{3}\n$/)
})

test('an export in parts is waited for, and is the table of the one file', async (context) => {
  need(context, PYTHON, ['--version'], 'Python')
  const told = await python(`
import importlib.util, pathlib
ask = lambda as_, **more: gazette.export("fixations", study, as_, progress=False, movingMedianRangeMs=155, **more)
print(len(ask("rows")) > 0 and ask("rows", output="parts") == ask("rows"))
if importlib.util.find_spec("pandas"):
    assert ask("pandas", output="parts").equals(ask("pandas"))
try:
    ask(pathlib.Path("a.csv"), output="parts")
except ValueError as error:
    print(error)`)
  expect(told).toBe('True\noutput="parts" is several files: read them as a table, such as as_="pandas"\n')
})

test('without a cache nothing stays, and a file is what its name says', async (context) => {
  need(context, PYTHON, ['--version'], 'Python')
  await python(
    `
import pathlib
for name in ("fixations.csv", "fixations.semicolon.csv"):
    Gazette(cache=False).export("fixations", study, pathlib.Path(name), movingMedianRangeMs=150)
assert not os.path.exists(os.environ["GAZETTE_CACHE"])`,
    { GAZETTE_CACHE: join(outside.directory, 'none') },
  )
  const path = `/api2/studies/${GOLDEN_STUDY}/collected-data/eye-tracking/fixations`
  const expected = await (await outside.service.get(`${path}?movingMedianRangeMs=150`)).text()
  expect(await readFile(join(outside.directory, 'fixations.csv'), 'utf8')).toBe(expected)
  // text() of fetch leaves out the byte order mark.
  const semicolons = await (await outside.service.get(`${path}?movingMedianRangeMs=150&format=csv-semicolon`)).text()
  expect(await readFile(join(outside.directory, 'fixations.semicolon.csv'), 'utf8')).toBe(`\uFEFF${semicolons}`)
})

test('refusals have the message of the server; other errors are one sentence', async (context) => {
  need(context, PYTHON, ['--version'], 'Python')
  const printed = await python(`
import pathlib
def told(call):
    try: print("nothing", call())
    except Exception as error: print(type(error).__name__, error)
ask = lambda name="fixations", as_="rows", **parameters: lambda: gazette.export(name, study, as_, **parameters)
told(ask(movingMedianRange=150, binMs=1))
told(ask(name="fixation"))
told(ask(as_="panda"))
told(ask(as_=pathlib.Path("a.txt")))
told(ask(format="csv"))
told(ask(itemId=[1]))
told(lambda: gazette.study("nobody"))
told(lambda: Gazette(token="00000000-0000-4000-8000-000000000000").studies())
told(lambda: Gazette("http://127.0.0.1:9").studies())
told(lambda: Gazette("http://gazette.example"))`)
  expect(printed.split('\n')).toEqual([
    'GazetteError Invalid parameter: binMs must be a whole number from 10 to 10000, got "1"; movingMedianRange is not a parameter of this export, got "150" (did you mean movingMedianRangeMs?)',
    "ValueError 'fixation' is none of the server's exports (did you mean fixations?)",
    "ValueError as_ must be one of pandas, polars, arrow, rows or a pathlib.Path, got 'panda'",
    "ValueError A file must end in .csv, .ndjson, .arrow, .parquet, .xlsx, .semicolon.csv, got 'a.txt'",
    'ValueError format is not to be given: it follows from as_',
    'TypeError itemId must be a text or a number, got [1]',
    'GazetteError Not found: The resource does not exist, or this token may not read it.',
    expect.stringMatching(/^GazetteError Valid token required: /),
    expect.stringMatching(/^GazetteError Gazette does not answer: http:\/\/127.0.0.1:9: .*refused/),
    expect.stringMatching(/^ValueError http:\/\/gazette.example must begin with https:\/\//),
    '',
  ])
})

test('damaged bytes are noticed by the digest and downloaded once more; damaged twice is an error', async (context) => {
  need(context, PYTHON, ['--version'], 'Python')
  for (const damaged of [1, 2]) {
    const wire = await openBadWire(outside.service.url, damaged)
    const asked = python('print(len(Gazette(os.environ["WIRE"], cache=False).export("fixations", study, "rows")))', {
      WIRE: wire.url,
    })
    if (damaged === 1) expect(await asked).toMatch(/^\d+\n$/)
    else await expect(asked).rejects.toThrow('GazetteError: The download is damaged')
    await wire.close()
  }
})

test('in a notebook, studies link to the dashboard, their names escaped', async (context) => {
  need(context, PYTHON, ['--version'], 'Python')
  const printed = await python('print(gazette.studies()._repr_html_(), gazette._repr_html_())')
  const link = `<a href="${outside.service.url}/studies/${GOLDEN_STUDY}">Golden &quot;study&quot;, n° 1</a>: 4 participants, 4 items, 8 tests`
  expect(printed).toContain(link)
})

test('the command lists and downloads', async (context) => {
  need(context, PYTHON, ['--version'], 'Python')
  const command = (...args: string[]) => outside.run(PYTHON, ['-m', 'gazette_client', ...args], { PYTHONPATH: wheel })
  expect(await command('studies')).toContain('Golden "study", n° 1')
  const study = GOLDEN_STUDY
  const asked = ['export', 'fixations', '--study', study, '-p', 'movingMedianRangeMs=150', '-o', 'own.ndjson']
  expect(await command(...asked)).toBe('own.ndjson\n')
  expect(JSON.parse((await readFile(join(outside.directory, 'own.ndjson'), 'utf8')).split('\n')[0])).toMatchObject({
    study_id: study,
  })
  await expect(command(...asked, '-p', 'x')).rejects.toThrow("'x' must be NAME=VALUE")
})

test('the source archive builds the same wheel', async (context) => {
  need(context, PYTHON, ['--version'], 'Python')
  const dist = join(outside.directory, 'dist')
  await outside.run('tar', ['-xzf', join(dist, 'gazette_client-0.2.0.tar.gz')])
  await outside.run(PYTHON, ['gazette_client-0.2.0/build_backend.py', join(outside.directory, 'again')])
  expect(await readFile(join(outside.directory, 'again', 'gazette_client-0.2.0-py3-none-any.whl'))).toEqual(
    await readFile(wheel),
  )
})

test('an analysis is what the server computes', async (context) => {
  need(context, PYTHON, ['--version'], 'Python')
  const code = `answer = gazette.analyse("transitions", study, itemId="${ITEM}")
print(sum(answer["transitions"]["counts"], []), len(gazette.analyses(study)))`
  expect(JSON.parse(`[${(await python(code)).replace('] 0', '], 0')}]`)).toEqual([await transitionsOf(outside), 0])
})

test('pupils over time are what the server computes; a study without eyes refuses a choice of them', async (context) => {
  need(context, PYTHON, ['--version'], 'Python')
  const code = `answer = gazette.analyse("pupils", study, pupilBinMs=100)
print(answer["groups"][0]["participants"], len(answer["binStartsMs"]))
try:
    gazette.analyse("pupils", study, eye="left")
except Exception as error:
    print(error)`
  expect(await python(code)).toMatch(/^0 55\n.*eye must be left out, since the study has no pupils/)
})
