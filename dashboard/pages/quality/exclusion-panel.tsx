import { countOf, wholeText } from '../../core/number-texts.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Choice } from '../../ui/controls/choice.tsx'
import { Field } from '../../ui/controls/field.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { Explanations } from '../../ui/help/explanations.tsx'
import { type ExclusionUnit, QUALITY_WORDS, type QualityTest, SHOWN_MEASURES } from './thresholds.ts'

type ExclusionPanelProps = {
  tests: QualityTest[]
  out: Set<QualityTest>
  unit: ExclusionUnit
  /** Filter of the exclusion; null if it would be too long. */
  exclusion: string | null
  onUse: (filter: string) => void
}

/** Draws the thresholds, the number of excluded tests, and the filter of the exclusion. */
export function ExclusionPanel({ tests, out, unit, exclusion, onUse }: ExclusionPanelProps) {
  const { query } = usePlace()
  const gazeless = tests.filter(({ validCount }) => validCount === 0).length
  const people = (some: Iterable<QualityTest>) => new Set([...some].map(({ participantId }) => participantId)).size
  const [all, kept] = [people(tests), people(tests.filter((test) => !out.has(test)))]
  return (
    <Panel title="Exclusions" id="thresholds">
      <div class="thresholds">
        {SHOWN_MEASURES.map(({ name, label, unit: of, isLess }) => (
          <Field key={name} label={`${label}, at ${isLess ? 'most' : 'least'}${of === '' ? '' : ` (${of})`}`}>
            <input
              type="number"
              min="0"
              step="any"
              inputMode="decimal"
              value={query.get(name) ?? ''}
              onChange={({ currentTarget: field }) =>
                setQuery({ [name]: field.validity.badInput ? 'not a number' : field.value })
              }
            />
          </Field>
        ))}
        <Choice
          label="Unit of exclusion"
          value={unit}
          of={{
            tests: 'each test beyond a threshold',
            participants: 'participants with more than half of their tests beyond a threshold',
          }}
          onChange={(value) => setQuery({ unit: value })}
        />
      </div>
      <Explanations of={QUALITY_WORDS} />
      <p class="kept" role="status">
        {wholeText(out.size)} of {countOf(tests.length, 'test')} excluded; {wholeText(all - kept)} of{' '}
        {countOf(all, 'participant')} with all of their tests
        {gazeless > 0 &&
          `. ${countOf(gazeless, 'test has', 'tests have')} no valid gaze, and ${gazeless === 1 ? 'is' : 'are'} excluded by every threshold`}
      </p>
      <AsFilter {...{ exclusion, onUse }} />
    </Panel>
  )
}

/** Draws the filter of the exclusion, or says why there is none. */
function AsFilter({ exclusion, onUse }: Pick<ExclusionPanelProps, 'exclusion' | 'onUse'>) {
  if (exclusion === '') return null
  if (exclusion === null)
    return (
      <p class="notice">
        A filter has at most 2,000 characters, too few to name these tests. Loosen a threshold, choose an item, exclude
        only by quality grade, or give the participants a tag and exclude the tag.
      </p>
    )
  return (
    <>
      <p>
        As a filter: <code class="address">{exclusion}</code>
      </p>
      <p class="row">
        <Button class="primary" onClick={() => onUse(exclusion)}>
          Use this filter
        </Button>
        <span class="hint">
          The filter is added to the address of this page and to the methods section below. Exports accept it as{' '}
          <code>filter</code>.
        </span>
      </p>
    </>
  )
}
