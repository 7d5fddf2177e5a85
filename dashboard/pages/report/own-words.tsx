import { useState } from 'preact/hooks'
import { wholeText } from '../../core/number-texts.ts'
import { pathWith, setQuery, usePlace } from '../../core/router.ts'
import { dataUrl } from '../../figures/save.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Field, TextField } from '../../ui/controls/field.tsx'

/** Maximum length of the own text, since the address holds it. */
const TEXT_MAX = 2000
const TITLE_MAX = 200
/** Maximum length of the address, in bytes: common proxies refuse longer request lines, before the server sees them. */
const ADDRESS_MAX_BYTES = 8000
const LOGO = 'gazette-report-logo'
const LOGO_MAX_BYTES = 200_000

/** Reads the logo that this browser stores, as a data URL; null for none. */
export function storedLogo(): string | null {
  return localStorage.getItem(LOGO)
}

/** Edits the report's own title and text, kept in the address, and a logo, kept in this browser. */
export function OwnWords({ logo, onLogo }: { logo: string | null; onLogo: (logo: string | null) => void }) {
  const title = useWords('title')
  const text = useWords('text')
  const [refused, setRefused] = useState('')
  const keep = (next: string | null) => {
    if (next === null) localStorage.removeItem(LOGO)
    else localStorage.setItem(LOGO, next)
    onLogo(next)
  }
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    const isFine = /^image\/(png|jpeg|svg\+xml|webp)$/.test(file.type) && file.size <= LOGO_MAX_BYTES
    setRefused(isFine ? '' : `A logo is a PNG, JPEG, WebP or SVG of at most 200 kB; ${file.name} is not.`)
    if (isFine) keep(await dataUrl(file))
  }
  return (
    <div class="own-words">
      <TextField
        label="Title"
        value={title.value}
        maxLength={TITLE_MAX}
        aria-invalid={title.tooLong !== null}
        onText={title.take}
      />
      <Field label={`Own text, at most ${TEXT_MAX} characters; an empty line begins a paragraph`}>
        <textarea
          rows={4}
          maxLength={TEXT_MAX}
          value={text.value}
          aria-invalid={text.tooLong !== null}
          onInput={(event) => text.take(event.currentTarget.value)}
        />
      </Field>
      {title.tooLong}
      {text.tooLong}
      <Field label="Logo, kept only in this browser">
        <input
          type="file"
          accept="image/png,image/jpeg,image/webp,image/svg+xml"
          onChange={(event) => void take(event.currentTarget.files?.[0])}
        />
      </Field>
      {logo !== null && (
        <Button class="small" onClick={() => keep(null)}>
          Remove the logo
        </Button>
      )}
      {refused !== '' && (
        <p class="refused" role="alert">
          {refused}
        </p>
      )}
    </div>
  )
}

/**
 * Returns words of the address, and a function that takes new ones. Words that make the address too long stay in their
 * field, which says so; the address and the report keep the ones before.
 */
function useWords(name: 'title' | 'text') {
  const { query } = usePlace()
  const [draft, setDraft] = useState<string | null>(null)
  const take = (words: string) => {
    const isFine = pathWith({ [name]: words }).length <= Math.max(ADDRESS_MAX_BYTES, pathWith({}).length)
    if (isFine) setQuery({ [name]: words })
    setDraft(isFine ? null : words)
  }
  const tooLong = draft === null ? null : <TooLong name={name} words={draft} />
  return { value: draft ?? query.get(name) ?? '', tooLong, take }
}

function TooLong({ name, words }: { name: 'title' | 'text'; words: string }) {
  return (
    <p class="refused" role="alert">
      The report keeps the {name} from before: with this one, its address would have{' '}
      {wholeText(pathWith({ [name]: words }).length)} bytes, and it may have at most {wholeText(ADDRESS_MAX_BYTES)}. A
      letter beyond A to Z takes 6 to 12 of them.
    </p>
  )
}

/** Draws the user's own text; an empty line begins a paragraph. */
export function OwnText({ text }: { text: string }) {
  const paragraphs = text.split(/\n\s*\n/).filter((each) => each.trim() !== '')
  if (paragraphs.length === 0) return null
  return (
    <section aria-label="Own text">
      {paragraphs.map((paragraph, p) => (
        <p key={p} class="paragraph own-text" dir="auto">
          {paragraph}
        </p>
      ))}
    </section>
  )
}
