import { count, countOf } from '../core/number-texts.ts'
import { setQuery, usePlace } from '../core/router.ts'
import { type ExclusionUnit, QUALITY_MEASURES, type QualityTest } from './thresholds.ts'

/** Thresholds, who falls out by them, and the filter that says so. */
export function ExclusionPanel({
  tests,
  out,
  unit,
  exclusion,
  onUse,
}: {
  tests: QualityTest[]
  out: Set<QualityTest>
  unit: ExclusionUnit
  /** null where it would be too long. */
  exclusion: string | null
  onUse: (filter: string) => void
}) {
  const { query } = usePlace()
  const gazeless = tests.filter(({ validCount }) => validCount === 0).length
  const people = (some: Iterable<QualityTest>) => new Set([...some].map(({ participantId }) => participantId)).size
  const [all, kept] = [people(tests), people(tests.filter((test) => !out.has(test)))]
  return (
    <section class="card panel" aria-labelledby="thresholds">
      <h2 id="thresholds">Who falls out</h2>
      <div class="thresholds">
        {QUALITY_MEASURES.map(({ name, label, unit: of, isLess }) => (
          <label key={name} class="field">
            <span>
              {label}, at {isLess ? 'most' : 'least'}
              {of !== '' && ` (${of})`}
            </span>
            <input
              type="number"
              min="0"
              step="any"
              inputMode="decimal"
              value={query.get(name) ?? ''}
              onChange={({ currentTarget: field }) =>
                setQuery({ [name]: field.validity.badInput ? 'no number' : field.value })
              }
            />
          </label>
        ))}
        <label class="field">
          <span>What falls out</span>
          <select value={unit} onChange={(event) => setQuery({ unit: event.currentTarget.value })}>
            <option value="tests">each test beyond a threshold</option>
            <option value="participants">participants, if more than half of their tests are</option>
          </select>
        </label>
      </div>
      <p class="kept" role="status">
        {count(out.size)} of {countOf(tests.length, 'test')} fall out; {count(all - kept)} of{' '}
        {countOf(all, 'participant')} with all of their tests
        {gazeless > 0 &&
          `. ${countOf(gazeless, 'test has', 'tests have')} no valid gaze, and ${gazeless === 1 ? 'falls' : 'fall'} out of every threshold`}
      </p>
      {exclusion === null ? (
        <p class="notice">
          These are more than a filter can name in 2,000 characters. Loosen a threshold, choose an item, exclude by the
          quality grade alone, or give the participants a tag and exclude that.
        </p>
      ) : (
        exclusion !== '' && (
          <>
            <p>
              As a filter: <code class="address">{exclusion}</code>
            </p>
            <p class="row">
              <button type="button" class="primary" onClick={() => onUse(exclusion)}>
                Use this filter
              </button>
              <span class="hint">
                It comes into the address of this page, and below into the methods in words. Exports take it as{' '}
                <code>filter</code>.
              </span>
            </p>
          </>
        )
      )}
    </section>
  )
}
