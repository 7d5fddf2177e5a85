import { forEach } from '../../engine/concurrency/side-by-side.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { StudyFacts } from '../../engine/snapshot/catalog.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { compareNames } from '../../shared/natural-order.ts'
import { withStudies } from '../shared/open-studies.ts'
import { heldText } from '../terminal/counts-text.ts'
import { PROGRAM } from '../terminal/program-name.ts'

/** Runs `gazette studies`: prints one line for each study, by name, without archived ones unless `--all` is given. */
export function studies({ all = false, config }: { all?: boolean; config: Config }): Promise<void> {
  const none =
    config.storeUrl === ''
      ? `There is no study in ${config.dataDir} yet: ${PROGRAM} import DIR imports one, ${PROGRAM} demo creates one.`
      : `There is no study in the store yet: ${PROGRAM} import DIR imports one, ${PROGRAM} copy --to copies them there.`
  return withStudies(config, (studies) => listStudies(studies, all, none))
}

/** Studies that are looked at side by side: those of a bucket take a request each. */
const AT_ONCE = 12

async function listStudies(studies: Studies, all: boolean, none: string): Promise<void> {
  const currents = await studies.currents()
  if (currents.size === 0) console.error(none)
  const found: [id: string, facts: StudyFacts][] = []
  const damaged: [id: string, message: string][] = []
  await forEach(currents, AT_ONCE, async ([id, snapshotId]) => {
    try {
      const facts = await studies.facts(id, snapshotId)
      if (facts !== null) found.push([id, facts])
    } catch (error) {
      damaged.push([id, (error as Error).message])
    }
  })
  for (const [id, message] of damaged.sort()) console.log(`${id}  cannot be read: ${message}`)
  const shown = found.filter(([, { isArchived }]) => all || !isArchived)
  const inOrder = shown.sort(([a, one], [b, other]) => compareNames(one.name, other.name) || (a < b ? -1 : 1))
  for (const [id, { name, isArchived, keywords, counts, createdAt }] of inOrder) {
    console.log(`${id}  ${name}${isArchived ? ' (archived)' : ''}`)
    console.log(
      `  ${[heldText(counts), `changed ${createdAt}`, keywords.join(', ')].filter((text) => text !== '').join(' · ')}`,
    )
  }
  const hidden = found.length - shown.length
  if (hidden > 0) console.error(`Archived and not listed: ${hidden}; --all lists all.`)
}
