import type { AdmittedToken, TokenRecord } from '../../engine/access/token-file.ts'
import type { Tokens } from '../../engine/access/tokens.ts'
import { projectsIn, reaches } from '../../engine/model/projects.ts'
import { readListed } from '../../engine/snapshot/read-listed.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'

/** Finds the token of a request, by itself or by the id that a session has. */
export type FindTokens = {
  [Name in 'find' | 'findById']: (given: string, now: Date) => Promise<AdmittedToken | null>
}

/**
 * Returns lookups of tokens that replace the projects of a token by the studies that are in them now. All checks of
 * rights compare ids of studies, so they hold for projects, too.
 */
export function admitting(tokens: Pick<Tokens, 'find' | 'findById'>, studies: Studies): FindTokens {
  const admit = async (record: TokenRecord | null): Promise<AdmittedToken | null> =>
    record && { ...record, studies: await studiesOf(record, studies), reach: record.studies }
  return {
    find: async (token, now) => admit(await tokens.find(token, now)),
    findById: async (id, now) => admit(await tokens.findById(id, now)),
  }
}

async function studiesOf({ studies: reach, project: of }: TokenRecord, studies: Studies): Promise<string[] | 'all'> {
  if (reach === 'all') return reach
  if (of === undefined && projectsIn(reach).length === 0) return reach
  const currents = [...(await studies.currents())]
  const listed = of === undefined ? currents : currents.filter(([id]) => reach.includes(id))
  const { facts } = await readListed(studies, listed)
  const within = facts.filter(([id, { project }]) =>
    of === undefined ? reaches(reach, { id, project }) : project === of,
  )
  return within.map(([id]) => id)
}
