import { isShownPicture } from '../../../isomorphic/picture-names.ts'
import type { Import } from '../../core/api.ts'
import { countOf } from '../../core/number-texts.ts'
import { type ChoiceOption, Select } from '../../ui/controls/choice.tsx'
import { Field } from '../../ui/controls/field.tsx'
import { BY_MAPPING, type Choices } from './choices/choices.ts'

type Found = NonNullable<Import['found']>
type FoundFormatProps = {
  found: Found
  choices: Choices
  /** True if the check failed; a successful one reports the files that it left out. */
  isRefused: boolean
  onFormat: (format: string) => void
}

/** Draws the recognized format, its confidence, and the choice of another. */
export function FoundFormat({
  found: { formats, derived, others, table },
  choices,
  isRefused,
  onFormat,
}: FoundFormatProps) {
  const known = formats.filter(({ name }) => name !== BY_MAPPING)
  const first = known.filter(({ firstCount }) => firstCount > 0)
  const also = known.filter(({ firstCount }) => firstCount === 0)
  const isMapped = choices.mapping !== null
  const named = (one: Found['formats'][number]) => `${one.title} (${countOf(one.fileCount, 'file')})`
  return (
    <div class="found-format">
      {first.length === 0 ? (
        <p>
          <strong>The format is unknown.</strong>{' '}
          {table === null
            ? 'None of the files is a table of samples.'
            : 'Choose the meaning of the columns of the table below.'}
        </p>
      ) : isMapped ? (
        <p>Read as a table, with the mapping below.</p>
      ) : first.length === 1 ? (
        <p>
          <strong>{first[0].title}</strong>, recognised by the content of {countOf(first[0].firstCount, 'file')}.{' '}
          {also.length === 0
            ? 'No other format fits.'
            : `It could also be ${also.map(({ title }) => title).join(' or ')}.`}
        </p>
      ) : (
        <p>
          <strong>Files of {first.length} formats:</strong> {first.map(named).join('; ')}. Choose one. Files of the
          other formats are left out; you can import them afterwards.
        </p>
      )}
      {first.length > 0 && (
        <Field class="field format-choice" label="Read as">
          <Select
            value={isMapped ? BY_MAPPING : choices.format}
            of={[
              ['', first.length === 1 ? `${first[0].title} (recognised)` : 'the recognised format'],
              ...known.filter(() => known.length > 1).map((one): ChoiceOption => [one.name, named(one)]),
              [BY_MAPPING, 'a table with one row per sample, whose columns I describe'],
            ]}
            onChange={onFormat}
          />
        </Field>
      )}
      {isRefused && <Besides derived={derived} others={others} table={table} />}
    </div>
  )
}

/** Lists files that are not recordings. */
function Besides({ derived, others, table }: Pick<Found, 'derived' | 'others' | 'table'>) {
  // The table to be mapped is drawn below.
  const besides = others.files.filter((name) => name !== table?.file)
  // The server names only the first files, so the rest need not be pictures.
  const pictures = others.fileCount > others.files.length ? [] : besides.filter(isShownPicture)
  const rest = besides.filter((name) => !pictures.includes(name))
  const restCount = others.fileCount - (others.files.length - rest.length)
  const list = (files: string[], fileCount: number) => `${files.slice(0, 5).join(', ')}${fileCount > 5 ? ', …' : ''}`
  const lines = [
    ...derived.map(
      ({ what, files, fileCount }) => `${countOf(fileCount, 'file')} of ${what}: ${list(files, fileCount)}`,
    ),
    ...(pictures.length === 0
      ? []
      : [
          `${countOf(pictures.length, 'picture')}, matched to items below once the items are known: ${list(pictures, pictures.length)}`,
        ]),
    ...(restCount === 0 ? [] : [`${countOf(restCount, 'file')} of unknown format: ${list(rest, restCount)}`]),
  ]
  return lines.length === 0 ? null : (
    <ul class="bulleted hint">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}
