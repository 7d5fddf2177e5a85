import './share.css'
import { useState } from 'preact/hooks'
import type * as api from '../../../clients/js/src/types.ts'
import { useAnalyses } from '../../core/analysis/analysis-seen.ts'
import { appliedText, exclusionWords } from '../../core/analysis/applied.ts'
import type { Stored } from '../../core/analysis/decided.ts'
import { useApplied } from '../../core/analysis/use-applied.ts'
import { type ExportCatalog, type ParameterInfo, request, sendJson } from '../../core/api.ts'
import { countOf, dateTime } from '../../core/number-texts.ts'
import { useChange } from '../../core/use-change.ts'
import { useData } from '../../core/use-data.ts'
import { withoutKept } from '../../core/view/report-contents.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Check, Chips, Choice } from '../../ui/controls/choice.tsx'
import { Field, TextField } from '../../ui/controls/field.tsx'
import { numberOptions } from '../../ui/controls/options.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Await, Empty, Trouble } from '../../ui/waiting/states.tsx'

const DAYS = [1, 7, 30, 90, 365]
const PAGES: Record<string, string> = {
  study: 'The whole study',
  item: 'An item',
  replay: 'Replay of an item',
  pupils: 'Pupils on an item',
  transitions: 'Transitions on an item',
  groups: 'Groups compared',
  quality: 'Quality',
  report: 'The report',
  export: 'An export',
}

/**
 * Creates links to the page or the study, and lists and revokes the study's links.
 *
 * @param isView true if a link can show only this page
 */
export function ShareDialog({ studyId, isView, onClose }: { studyId: string; isView: boolean; onClose: () => void }) {
  const links = useData<api.LinkList>(`/api2/studies/${studyId}/links`, LOOK_MS)
  const [made, setMade] = useState<api.LinkMade | null>(null)
  const { problem, act } = useChange()
  const attempt = (work: () => Promise<unknown>) => act(() => work().then(links.retry))
  return (
    <Dialog title="Share by a link" onClose={onClose}>
      <p>
        Anyone with the link can view the shared pages without an account until the link expires. Nobody can change
        anything with it.
      </p>
      <NewLink
        {...{ studyId, isView }}
        onMake={(wanted) =>
          attempt(async () => setMade(await sendJson<api.LinkMade>(`/api2/studies/${studyId}/links`, 'POST', wanted)))
        }
      />
      {problem !== null && <Trouble problem={problem} />}
      {made !== null && <MadeLink key={made.id} made={made} />}
      <h3>Links of this study</h3>
      <Await loaded={links} what="the links">
        {({ links: all }) =>
          all.length === 0 ? (
            <Empty title="No links yet" />
          ) : (
            <ul class="link-list">
              {all.map((link) => (
                <LinkRow
                  key={link.id}
                  link={link}
                  onRevoke={() =>
                    attempt(() => request(`/api2/studies/${studyId}/links/${link.id}`, { method: 'DELETE' }))
                  }
                />
              ))}
            </ul>
          )
        }
      </Await>
    </Dialog>
  )
}

const LOOK_MS = 20_000

type NewLinkProps = { studyId: string; isView: boolean; onMake: (wanted: api.LinkNew) => void }

function NewLink({ studyId, isView, onMake }: NewLinkProps) {
  const [isWhole, setIsWhole] = useState(!isView)
  const [name, setName] = useState('')
  const [days, setDays] = useState(7)
  const [hasDownloads, setHasDownloads] = useState(false)
  const analyses = useAnalyses(studyId)
  const kept = analyses?.current?.analysis.report ?? ''
  const submit = (event: Event) => {
    event.preventDefault()
    const path = location.pathname + withoutKept(location.search, kept)
    onMake({ path, isWhole, name: name.trim(), days, hasDownloads })
  }
  return (
    <form class="new-link" onSubmit={submit}>
      <Chips isLegendSeen legend="Shared pages">
        {isView && (
          <Check group="reach" isOn={!isWhole} onChange={() => setIsWhole(false)}>
            This page
          </Check>
        )}
        <Check group="reach" isOn={isWhole} onChange={() => setIsWhole(true)}>
          The whole study
        </Check>
      </Chips>
      <p class="hint">
        {isWhole ? 'Every page of the study, with every participant.' : <ViewScope studyId={studyId} />}
      </p>
      <TextField label="Recipient or purpose" maxLength={200} value={name} onText={setName} />
      <Choice
        label="Expires after"
        value={days}
        of={numberOptions(DAYS, (each) => countOf(each, 'day'))}
        onChange={setDays}
      />
      <Check class="tick" isOn={hasDownloads} onChange={setHasDownloads}>
        Allow downloads of exports
      </Check>
      <p class="row">
        {/* A report that its analysis keeps has a short link, once the analyses are known. */}
        <Button isSubmit class="primary" disabled={analyses === null}>
          Create a link
        </Button>
      </p>
    </form>
  )
}

/** Says which tests a link to this page shows, and with which settings. */
function ViewScope({ studyId }: { studyId: string }) {
  const catalog = useData<ExportCatalog>('/api2/exports')
  const analyses = useAnalyses(studyId)
  const query = new URLSearchParams(location.search)
  const isOfItem = /\/items\//.test(location.pathname) || query.get('item') !== null
  return (
    <>
      {isOfItem ? 'This item' : 'All items'}
      {query.get('participant') && ', of the chosen participant'}
      {catalog.data !== null && analyses !== null && (
        <AppliedTo {...{ studyId }} plain={catalog.data.parameters} current={analyses.current} />
      )}
      . Visitors can read names, tags and external data of the participants, and try other settings.
    </>
  )
}

function AppliedTo({ studyId, plain, current }: { studyId: string; plain: ParameterInfo[]; current: Stored | null }) {
  const text = appliedText(useApplied({ id: studyId }, plain, current))
  return text === '' ? ', of all participants' : <bdi>{`: ${text}`}</bdi>
}

function MadeLink({ made }: { made: api.LinkMade }) {
  const address = location.origin + made.url
  return (
    <div class="notice made-link" role="status">
      <Field label="Copy the link now: it is shown only once.">
        <input type="text" readOnly value={address} onFocus={(event) => event.currentTarget.select()} />
      </Field>
      <CopyButton label="Copy the link" text={() => address} />
    </div>
  )
}

function LinkRow({ link, onRevoke }: { link: api.SharedLink; onRevoke: () => void }) {
  const { name, page, path, filter, gradeMin, hasDownloads, madeBy, expiresAt, lastUsedAt } = link
  const hasEnded = Date.parse(expiresAt) <= Date.now()
  const excluded = exclusionWords({ filters: [filter], gradeMin, ignored: 0 })
  const limits = [
    ...(excluded.length === 0 ? [] : [`excluded: ${excluded.join('; ')}`]),
    ...(hasDownloads ? ['with downloads'] : []),
  ]
  return (
    <li>
      <div>
        <a href={path}>{PAGES[page]}</a>
        {name !== '' && (
          <>
            {' '}
            for <bdi>{name}</bdi>
          </>
        )}
        {limits.map((limit) => (
          <span key={limit}>
            , <bdi>{limit}</bdi>
          </span>
        ))}
        <p class="hint">
          made by <bdi>{madeBy.name || madeBy.token || 'a command'}</bdi>, {hasEnded ? 'ended' : 'ends'}{' '}
          {dateTime(expiresAt)}, {lastUsedAt === null ? 'never opened' : `last opened ${dateTime(lastUsedAt)}`}
        </p>
      </div>
      <Button class="small" aria-label={`Revoke ${PAGES[page]}${name === '' ? '' : ` for ${name}`}`} onClick={onRevoke}>
        Revoke
      </Button>
    </li>
  )
}
