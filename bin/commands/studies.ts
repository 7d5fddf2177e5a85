import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import type { StudyReader } from '../../engine/snapshot/snapshots.ts'
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

async function listStudies(studies: StudyReader, all: boolean, none: string): Promise<void> {
  const ids = await studies.studyIds()
  if (ids.length === 0) console.error(none)
  const found: Snapshot[] = []
  for (const id of ids) {
    const snapshot = await studies.current(id).catch((error: Error) => error)
    if (snapshot instanceof Error) console.log(`${id}  cannot be read: ${snapshot.message}`)
    else if (snapshot !== null) found.push(snapshot)
  }
  const shown = found.filter(({ study }) => all || !study.isArchived)
  for (const { study, manifest } of shown.sort((a, b) => compareNames(a.study.name, b.study.name))) {
    console.log(`${study.id}  ${study.name}${study.isArchived ? ' (archived)' : ''}`)
    const keywords = study.about?.keywords?.join(', ')
    console.log(
      `  ${[heldText(manifest.counts), `changed ${manifest.createdAt}`, keywords].filter(Boolean).join(' · ')}`,
    )
  }
  const hidden = found.length - shown.length
  if (hidden > 0) console.error(`Archived and not listed: ${hidden}; --all lists all.`)
}
