import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkParameters } from '../../../engine/model/check-parameters.ts'
import type { ExportName } from '../../../engine/model/export-names.ts'
import { VERSION } from '../../../engine/model/version.ts'
import { readVectors } from '../compute/vectors.ts'
import { csvCells } from '../csv.ts'
import { keptPool } from '../kept.ts'
import { exported, importInto, newDataDir } from '../studies.ts'

type Case = {
  name: string
  export: ExportName
  parameters: Record<string, unknown>
  bundle: Record<string, string>
  header: string[]
  notes: string
  /** The columns that are compared; the others are identity. */
  columns: string[]
  rows: string[][]
}
let dataDir: string
const pool = keptPool()
beforeEach(async () => {
  dataDir = await newDataDir()
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

for (const worked of readVectors<{ exports: Case[] }>('measures').exports) {
  test(`${worked.export}: ${worked.name}`, async () => {
    const directory = join(dataDir, 'bundle')
    await mkdir(directory)
    for (const [file, text] of Object.entries(worked.bundle)) await writeFile(join(directory, file), text)
    const snapshot = await importInto(dataDir, directory)
    const given = Object.entries(worked.parameters).map(([key, value]) => [key, [String(value)]] as [string, string[]])
    const { parameters, faults } = checkParameters(new Map(given))
    expect(faults).toEqual([])
    const { csv } = await exported(pool, snapshot, worked.export, parameters!)
    const [header, ...rows] = await csvCells(csv.toString())
    expect(header).toEqual(worked.header)
    expect(rows.map((row) => worked.columns.map((column) => row[header.indexOf(column)]))).toEqual(worked.rows)
    if (rows.length > 0)
      expect(rows[0][header.indexOf('notes')]).toBe(worked.notes.replace('v<version>', `v${VERSION}`))
  })
}
