import { useRef, useState } from 'preact/hooks'
import { csvOf, htmlOf, markdownOf, type Numbers } from '../core/numbers-csv.ts'
import { Button } from './controls/button.tsx'
import { Dropdown } from './dropdown.tsx'

/** Contents of the clipboard, by type. */
type Copied = Record<string, string | Promise<Blob>>

const SHOWN_MS = 2000
const REFUSED = 'The browser does not let this page copy to the clipboard.'

/** Writes to the clipboard. @throws if the browser does not let the page copy */
async function copy(what: Copied): Promise<void> {
  const blobs = Object.entries(what).map(([type, of]) => [type, typeof of === 'string' ? new Blob([of], { type }) : of])
  await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))])
}

/** Copies to the clipboard, and shows the result for a moment. */
function useCopying() {
  const [told, setTold] = useState('')
  const timer = useRef(0)
  const start = (what: Copied, label: string) =>
    copy(what)
      .then(
        () => setTold(label),
        () => setTold(REFUSED),
      )
      .then(() => {
        window.clearTimeout(timer.current)
        timer.current = window.setTimeout(() => setTold(''), SHOWN_MS)
      })
  return { told, start }
}

/** Draws a button that copies a text. */
export function CopyButton({ label, text, shortcut }: { label: string; text: () => string; shortcut?: string }) {
  const { told, start } = useCopying()
  return (
    <Button class="small" aria-keyshortcuts={shortcut} onClick={() => start({ 'text/plain': text() }, 'Copied')}>
      <span aria-live="polite">{told || label}</span>
    </Button>
  )
}

type CopyMenuProps = {
  title: string
  caption?: string
  numbers: () => Numbers
  picture?: { svg: () => Promise<Blob>; png: () => Promise<Blob> } | null
  files?: Record<string, () => Promise<void>>
}

/**
 * Draws a menu that copies a figure or a table: as a picture, as SVG, and its numbers as CSV (which spreadsheets paste
 * as a table) and as Markdown. With `files`, it saves them, too.
 *
 * @param caption printed below the Markdown
 * @param picture null for a table
 * @param files what is saved, by the name of its format
 */
export function CopyMenu({ title, caption = '', numbers, picture = null, files = {} }: CopyMenuProps) {
  const { told, start } = useCopying()
  const kinds: Record<string, () => Copied> = {
    ...(picture && {
      PNG: () => ({ 'image/png': picture.png() }),
      SVG: () => ({ 'text/plain': picture.svg().then((svg) => new Blob([svg], { type: 'text/plain' })) }),
    }),
    CSV: () => ({ 'text/plain': csvOf(numbers()), 'text/html': htmlOf(numbers()) }),
    Markdown: () => ({ 'text/plain': `${markdownOf(numbers())}${caption === '' ? '' : `\n${title}. ${caption}\n`}` }),
  }
  const copies = Object.fromEntries(
    Object.entries(kinds).map(([kind, what]) => [kind, () => start(what(), `Copied ${kind}`)]),
  )
  const groups = Object.entries({ Save: files, Copy: copies }).filter(([, choices]) => Object.keys(choices).length > 0)
  const [first] = groups[0]
  return (
    <Dropdown words={told || first} label={told === '' ? `${first} ${title}` : undefined} shortcut={first[0]} isSmall>
      {(close) =>
        groups.map(([word, choices]) => (
          <fieldset key={word}>
            <legend class={groups.length === 1 ? 'unseen' : ''}>
              {word} <span class="unseen">{title} </span>as
            </legend>
            {Object.entries(choices).map(([kind, choose]) => (
              <Button
                key={kind}
                class="small"
                aria-label={`${word} ${title} as ${kind}`}
                aria-keyshortcuts={word === 'Copy' && kind === 'PNG' ? 'C' : undefined}
                onClick={() => {
                  void choose()
                  close()
                }}
              >
                {kind}
              </Button>
            ))}
          </fieldset>
        ))
      }
    </Dropdown>
  )
}
