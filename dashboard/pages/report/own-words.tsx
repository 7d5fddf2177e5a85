import { useState } from 'preact/hooks'
import { setQuery, usePlace } from '../../core/router.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Field, TextField } from '../../ui/controls/field.tsx'

/** Maximum length of the own text, since the address holds it. */
const TEXT_MAX = 2000
const TITLE_MAX = 200
const LOGO = 'gazette-report-logo'
const LOGO_MAX_BYTES = 200_000

/** Reads the logo that this browser stores, as a data URL; null for none. */
export function storedLogo(): string | null {
  return localStorage.getItem(LOGO)
}

type OwnWordsProps = { logo: string | null; onLogo: (logo: string | null) => void }

/** Edits the report's own title and text, kept in the address, and a logo, kept in this browser. */
export function OwnWords({ logo, onLogo }: OwnWordsProps) {
  const { query } = usePlace()
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
    if (isFine) keep(await dataUrlOf(file))
  }
  return (
    <div class="own-words">
      <TextField
        label="Title"
        value={query.get('title') ?? ''}
        maxLength={TITLE_MAX}
        onText={(title) => setQuery({ title })}
      />
      <Field label={`Own text, at most ${TEXT_MAX} characters; an empty line begins a paragraph`}>
        <textarea
          rows={4}
          maxLength={TEXT_MAX}
          value={query.get('text') ?? ''}
          onInput={(event) => setQuery({ text: event.currentTarget.value })}
        />
      </Field>
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

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
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
