import { useState } from 'preact/hooks'
import type { ExportInfo } from '../../core/api.ts'
import { countOf } from '../../core/number-texts.ts'
import { setQuery } from '../../core/router.ts'
import { Find } from '../../ui/controls/field.tsx'
import { Panel } from '../../ui/controls/panel.tsx'

type TableChoiceProps = { questions: string[]; exports: ExportInfo[]; chosen: ExportInfo }

/**
 * Draws one choice per export: first those with which to begin, then the others by the question that they answer,
 * folded unless one of them is chosen.
 */
export function TableChoice({ questions, exports, chosen }: TableChoiceProps) {
  const [find, setFind] = useState('')
  const wanted = find.trim().toLowerCase()
  const isMeant = ({ name, title, question }: ExportInfo) =>
    `${name} ${title} ${question}`.toLowerCase().includes(wanted)
  const found = exports.filter(isMeant)
  const others = exports.filter(({ isRecommended }) => !isRecommended)
  return (
    <Panel title="Which table" class="choices">
      <Find label={`Find among ${countOf(exports.length, 'table')}`} value={find} onText={setFind} />
      {wanted !== '' ? (
        <fieldset class="table-question">
          <legend>{countOf(found.length, 'table')}</legend>
          <TableAnswers answers={found} chosen={chosen} />
        </fieldset>
      ) : (
        <>
          <fieldset class="table-question">
            <legend>Start here</legend>
            <TableAnswers answers={exports.filter(({ isRecommended }) => isRecommended)} chosen={chosen} />
          </fieldset>
          <details class="advanced" open={!chosen.isRecommended}>
            <summary>{others.length} more tables</summary>
            {questions
              .map((question) => ({ question, answers: others.filter((each) => each.question === question) }))
              .filter(({ answers }) => answers.length > 0)
              .map(({ question, answers }) => (
                <fieldset key={question} class="table-question">
                  <legend>{question}</legend>
                  <TableAnswers answers={answers} chosen={chosen} />
                </fieldset>
              ))}
          </details>
        </>
      )}
    </Panel>
  )
}

function TableAnswers({ answers, chosen }: { answers: ExportInfo[]; chosen: ExportInfo }) {
  return (
    <>
      {answers.map(({ name, title, question, rowPer }) => (
        <label key={name} class={`choice${name === chosen.name ? ' chosen' : ''}`} title={question}>
          <input
            class="choice-mark"
            type="radio"
            name="export"
            checked={name === chosen.name}
            onChange={() => setQuery({ export: name })}
          />
          <span>
            <strong class="choice-title">{title}</strong>
            <small>one row per {rowPer}</small>
          </span>
        </label>
      ))}
    </>
  )
}
