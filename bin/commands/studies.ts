import type { Config } from '../../engine/model/settings.ts'
import { readListed } from '../../engine/snapshot/read-listed.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { compareNames } from '../../isomorphic/natural-order.ts'
import { studySummary } from '../../server/studies/study-summary.ts'
import { studiesOfProject } from '../given/find-project.ts'
import { printJson } from '../output/print-json.ts'
import { withStudies } from '../runtime/open-studies.ts'
import { heldText } from '../terminal/counts-text.ts'
import { printable } from '../terminal/printable.ts'
import { PROGRAM } from '../terminal/program-name.ts'

type Listing = { all?: boolean; project?: string; json?: boolean }

/** Runs `gazette studies`: prints one line for each study, by name, without archived ones unless `--all` is given. */
export function studies({ all, project, json, config }: Listing & { config: Config }): Promise<void> {
  const none =
    config.storeUrl === ''
      ? `There is no study in ${config.dataDir} yet: ${PROGRAM} import DIR imports one, ${PROGRAM} demo creates one.`
      : `There is no study in the store yet: ${PROGRAM} import DIR imports one, ${PROGRAM} copy --to copies them there.`
  return withStudies(config, (studies) => listStudies(studies, { all, project, json }, none))
}

async function listStudies(studies: Studies, { all, project, json }: Listing, none: string): Promise<void> {
  const { facts, damaged } = await readListed(studies, [...(await studies.currents())])
  if (facts.length + damaged.length === 0) console.error(none)
  const found = project === undefined ? facts : studiesOfProject(facts, project)
  const shown = found.filter(([, { isArchived }]) => all || !isArchived)
  const inOrder = shown.sort(([, one], [, other]) => compareNames(one.name, other.name))
  if (json)
    return printJson('studies', {
      studies: inOrder.map(([id, facts]) => studySummary(id, facts)),
      damaged: damaged.map(([id, fault]) => ({ id, fault })),
    })
  for (const [id, message] of damaged) console.log(`${id}  cannot be read: ${message}`)
  for (const [id, study] of inOrder) {
    const { name, isArchived, keywords, counts, createdAt } = study
    console.log(printable(`${id}  ${name}${isArchived ? ' (archived)' : ''}`))
    const told = [
      heldText(counts),
      study.project && `project ${study.project}`,
      `changed ${createdAt}`,
      keywords.join(', '),
    ]
    console.log(printable(`  ${told.filter(Boolean).join(' · ')}`))
  }
  const hidden = found.length - shown.length
  if (hidden > 0) console.error(`Archived and not listed: ${hidden}; --all lists all.`)
}
