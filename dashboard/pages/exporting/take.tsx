import { useState } from 'preact/hooks'
import { type FormatInfo, type JobView, type Preview, request } from '../../core/api.ts'
import { useLink } from '../../core/link-seen.ts'
import { bytes, countOf, formatTitle } from '../../core/number-texts.ts'
import { setQuery } from '../../core/router.ts'
import { useChange } from '../../core/use-change.ts'
import { saveBlob } from '../../figures/save.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Choice, type ChoiceOption } from '../../ui/controls/choice.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { Trouble } from '../../ui/waiting/states.tsx'
import { OwnJob } from './own-job.tsx'
import { startJob } from './start-job.ts'

type TakeProps = {
  path: string
  preview: Preview
  isStale: boolean
  studyName: string
  format: FormatInfo
  methodsHref: string
}

/** Draws the size of the file, its format, and the buttons that get it. */
export function Take({ formats, ...of }: TakeProps & { formats: FormatInfo[] }) {
  const { estimate, isSmall, kept } = of.preview
  return (
    <Panel title="Get it" id="take" class="take">
      <p>
        {isSmall ? (
          <>
            At most about <strong>{bytes(estimate.bytes)}</strong>
            {estimate.samples > 0 && <> from {countOf(estimate.samples, 'sample')}</>}: small enough for an immediate
            download.
          </>
        ) : (
          <>
            Up to about <strong>{bytes(estimate.bytes)}</strong> from {countOf(estimate.samples, 'sample')}: a job
            computes it, and you can leave this page meanwhile.
          </>
        )}
        {kept.tests === 0 && ' No test is kept, so the file will have no rows.'}
      </p>
      <Choice
        id="format"
        label="File format"
        isInline
        value={of.format.name}
        of={formats.map(({ name, title }): ChoiceOption => [name, title])}
        onChange={(value) => setQuery({ format: value === formats[0].name ? null : value })}
      />
      <Actions key={of.path} {...of} />
    </Panel>
  )
}

/** Draws the buttons that download the file or start a job, and the progress of the job. */
function Actions({ path, preview: { isSmall }, isStale, studyName, format, methodsHref }: TakeProps) {
  const [job, setJob] = useState<JobView | null>(null)
  const { problem, isBusy, act } = useChange()
  const link = useLink()
  const download = () =>
    act(async () => {
      const response = await request(path)
      if (response.status === 202) setJob((await response.json()) as JobView)
      else saveBlob(await response.blob(), fileNameOf(response))
    })
  const start = () => act(async () => setJob(await startJob(path)))
  return (
    <>
      <p class="row">
        {isSmall && (
          <Button class="primary" busy={isBusy && 'Working …'} disabled={isStale} onClick={download}>
            Download {formatTitle(format)}
          </Button>
        )}
        <Button class={isSmall ? '' : 'primary'} disabled={isBusy || isStale} onClick={start}>
          Start a job
        </Button>
        {link === null && <a href="/jobs">All jobs</a>}
        {(link === null || link.page === 'study') && <a href={methodsHref}>Methods section</a>}
      </p>
      {problem !== null && <Trouble problem={problem} />}
      {job !== null && <OwnJob first={job} studyName={studyName} />}
    </>
  )
}

function fileNameOf(response: Response): string {
  return /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'export'
}
