import { withBoxes } from '../../engine/live/read-boxes.ts'
import { withAbout, withRenaming } from '../../engine/live/read-description.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Study } from '../../engine/model/study.ts'
import { changeStudy } from '../../engine/study/change-study.ts'
import { description } from '../../engine/study/changes/description.ts'
import { checkProjectName } from '../given/find-project.ts'
import { findStudy } from '../given/find-study.ts'
import { readGivenText } from '../given/given-text.ts'
import { withHome } from '../runtime/open-studies.ts'
import { stoppable } from '../terminal/stoppable.ts'

type Describing = {
  study: string
  name?: string
  /** false takes it out of its project. */
  project?: string | false
  about?: string
  boxes?: string
  archive?: boolean
  config: Config
}

/** Runs `gazette describe`: prints `about` of a study, or changes it, its name, project, AOIs, or its archiving. */
export async function describeStudy({ study, about, boxes, config, ...renaming }: Describing): Promise<void> {
  const { name, project, archive } = renaming
  if (name?.trim() === '') throw new ServiceError('usage', '--name must not be empty')
  if (typeof project === 'string') checkProjectName(project)
  if (about === '-' && boxes === '-') throw new ServiceError('usage', 'only one of --about and --boxes can be -')
  const [aboutBytes, boxBytes] = [await bytesOf(about), await bytesOf(boxes)]
  await withHome(config, async ({ place, studies }) => {
    const isAsked = [name, project, archive, about, boxes].every((given) => given === undefined)
    if (isAsked) {
      const { study: found } = await findStudy(studies, study)
      return console.log(JSON.stringify(found.about ?? {}, null, 2))
    }
    const { dataDir, engineThreads: threads, engineMemoryMib: memoryMib } = config
    const { id: studyId } = (await findStudy(studies, study)).study
    const described = (present: Study) => {
      const renamed = withRenaming(present, { name, project: project === false ? null : project, isArchived: archive })
      const next = aboutBytes === null ? renamed : withAbout(renamed, aboutBytes, sourceOf(about!))
      return boxBytes === null ? next : withBoxes(next, boxBytes, sourceOf(boxes!))
    }
    await stoppable(async (signal) => {
      const changing = { dataDir, place, studyId, now: new Date(), threads, memoryMib, signal }
      const { published } = await changeStudy(
        changing,
        null,
        description(described, () => {}),
      )
      console.error(published ? `Changed study ${studyId}.` : `Study ${studyId} is already like that.`)
    })
  })
}

const bytesOf = async (path?: string) => (path === undefined ? null : Buffer.from(await readGivenText(path)))
const sourceOf = (path: string) => (path === '-' ? 'standard input' : path)
