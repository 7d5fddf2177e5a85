import type { Import, Problem } from '../../core/api.ts'
import { countOf, wholeText } from '../../core/number-texts.ts'
import { ColumnNames } from '../../ui/column-names.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Scrolling } from '../../ui/scrolling.tsx'
import { RefusedValues, Trouble } from '../../ui/waiting/states.tsx'
import { MESSAGE_ROLES } from './choices/message-roles.ts'
import type { Followed } from './use-import.ts'

/** Draws the progress of an import or a check, with a stop button. */
export function ImportProgress({ followed: { view, problem, stop }, what }: { followed: Followed; what: string }) {
  const percent = view?.progress.percent ?? 0
  const samples = view?.progress.samples ?? 0
  return (
    <>
      <progress max={100} value={percent} aria-label={what}>
        {percent} %
      </progress>
      <p class="hint" role="status">
        {view === null || view.state === 'queued'
          ? `${what}: waiting for a worker`
          : `${what}: about ${percent} %, ${countOf(samples, 'sample')} so far`}
      </p>
      {problem !== null && <Trouble problem={problem} />}
      <p class="row">
        <Button onClick={stop}>Stop</Button>
      </p>
    </>
  )
}

type RefusalProps = { error: Problem & Pick<NonNullable<Import['error']>, 'problems'>; title: string }

/** Draws why an import or its request was refused: a sentence, and every location. */
export function Refusal({ error, title }: RefusalProps) {
  const { detail, problems = [] } = error
  return (
    <div class="trouble refusal" role="alert">
      <p>
        <strong>{title}</strong> {asSentence(detail || error.title)}
      </p>
      <RefusedValues problem={error} />
      {problems.length > 0 && (
        <Scrolling class="table-scroll" label="Violations of the rules">
          <table>
            <ColumnNames of={['File', 'Line', 'Column', 'Value', 'Rule']} />
            <tbody>
              {problems.map(({ file, line, column, value, rule }, i) => (
                <tr key={i}>
                  <td>{file}</td>
                  <td>{line ?? ''}</td>
                  <td>{column}</td>
                  <td>
                    <bdi>{value}</bdi>
                  </td>
                  <td>{rule}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolling>
      )}
      {error.type?.startsWith('/docs/') && (
        <p>
          <a href={error.type}>Meaning and solution</a>
        </p>
      )}
    </div>
  )
}

/** Draws the counts of a study, or of an import. */
export function ImportCounts({ counts }: { counts: NonNullable<Import['report']>['counts'] }) {
  const { participants, items, tests, samples } = counts
  return (
    <dl class="facts">
      {Object.entries({ Participants: participants, Items: items, Tests: tests, Samples: samples }).map(([name, n]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{wholeText(n)}</dd>
        </div>
      ))}
    </dl>
  )
}

type CountsChangedProps = { change: NonNullable<NonNullable<Import['report']>['change']> }

/** Draws the counts of a study now and after its data are replaced. */
export function CountsChanged({ change: { before, after } }: CountsChangedProps) {
  const rows = [
    ['Participants', before.participants, after.participants],
    ['Items', before.items, after.items],
    ['Tests', before.tests, after.tests],
    ['Samples', before.samples, after.samples],
    ['Fixations with default settings', before.fixations, after.fixations],
  ] as const
  return (
    <Scrolling class="table-scroll" label="Changes to the study">
      <table class="counts-changed">
        <ColumnNames of={['Count', 'now', 'after']} />
        <tbody>
          {rows.map(([name, now, then]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{wholeText(now)}</td>
              <td class="number">{now === then ? 'the same' : <strong>{wholeText(then)}</strong>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  )
}

/** Choices of this page, by the fields of a request that the server names. */
const MEANINGS: Record<string, string> = {
  '`messages.trial`': MESSAGE_ROLES.trialMessage,
  '`messages.end`': MESSAGE_ROLES.endMessage,
  '`messages.item`': MESSAGE_ROLES.itemMessage,
  '`messages.onset`': MESSAGE_ROLES.onsetMessage,
}

/** Formats a note of the server, a part of a line, as a sentence. */
function asSentence(text: string): string {
  const said = text.replace(/`messages\.\w+`/g, (name) => `the meaning “${MEANINGS[name] ?? name}”`)
  return `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.?$/, '.')}`
}

/** Draws sentences under a heading; draws nothing without any. */
export function Said({ title, of, kind = '' }: { title: string; of: string[]; kind?: string }) {
  if (of.length === 0) return null
  return (
    <div class={`said ${kind}`}>
      <h3>{title}</h3>
      <ul class="bulleted">
        {of.map((sentence) => (
          <li key={sentence}>{asSentence(sentence)}</li>
        ))}
      </ul>
    </div>
  )
}
