import { type ChangedDescription, problemFrom, request } from '../../../core/api.ts'
import { inWords } from '../../../core/problem-words.ts'
import type { ReadAoiFile } from './read-aoi-file.ts'

/** Asks the server which AOIs of an item a CSV of boxes makes; an AOI of the same name keeps its id and tags. */
export async function readBoxes(csv: string, studyId: string, itemId: string): Promise<ReadAoiFile> {
  try {
    const headers = { 'Content-Type': 'text/csv', 'If-Match': '*' }
    const path = `/api2/studies/${studyId}/items/${itemId}/aois?dryRun=true`
    const answer = await request(path, { method: 'PUT', headers, body: csv })
    const { aois = [] } = (await answer.json()) as ChangedDescription
    return { aois, faults: [], replaces: true }
  } catch (error) {
    const problem = problemFrom(error)
    const { errors = [] } = problem
    const faults = errors.map(({ parameter, rule, value }) => `${parameter} ${rule}, not “${value}”.`)
    return { aois: [], faults: faults.length > 0 ? faults : [inWords(problem).detail] }
  }
}
