import type { ExportInfo } from '../../core/api.ts'
import { setQuery } from '../../core/router.ts'
import { Panel } from '../../ui/controls/panel.tsx'

type TableChoiceProps = { questions: string[]; exports: ExportInfo[]; chosen: ExportInfo }

/** Draws one choice per export, grouped by the question that it answers. */
export function TableChoice({ questions, exports, chosen }: TableChoiceProps) {
  const answered = questions.map((question) => ({
    question,
    answers: exports
      .filter((each) => each.question === question)
      .sort((a, b) => Number(b.isRecommended) - Number(a.isRecommended)),
  }))
  return (
    <Panel title="Which table" class="choices">
      {answered.map(({ question, answers }) => (
        <fieldset key={question} class="table-question">
          <legend>{question}</legend>
          <TableAnswers answers={answers} chosen={chosen} />
        </fieldset>
      ))}
    </Panel>
  )
}

function TableAnswers({ answers, chosen }: { answers: ExportInfo[]; chosen: ExportInfo }) {
  return (
    <>
      {answers.map(({ name, title, rowPer, isRecommended }) => (
        <label key={name} class={`choice${name === chosen.name ? ' chosen' : ''}`}>
          <input
            class="choice-mark"
            type="radio"
            name="export"
            checked={name === chosen.name}
            onChange={() => setQuery({ export: name })}
          />
          <span>
            <strong class="choice-title">{title}</strong>
            {isRecommended && answers.length > 1 && <span class="badge">Start here</span>}
            <small>one row per {rowPer}</small>
          </span>
        </label>
      ))}
    </>
  )
}
