import { useId, useState } from 'preact/hooks'
import { useOneStop } from '../core/one-stop.ts'
import { Button } from '../ui/controls/button.tsx'
import { type Explained, ExplainedList } from '../ui/help/explanations.tsx'
import type { Caption } from './caption.ts'
import { bySettings } from './captions.ts'

type CaptionTextProps = { caption: Caption; applied: string; explains: Explained[] }

/**
 * Draws a caption: its sentence and, on demand or in print, how to read the figure, its sources and their settings.
 *
 * @param applied what applies to the figures of the page
 * @param explains measures of the figure, each with a "?"
 */
export function CaptionText({ caption: { short, reading, sources }, applied, explains }: CaptionTextProps) {
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  const stop = useOneStop<HTMLDivElement>('.caption-open, .question')
  return (
    <figcaption>
      <p>{short}</p>
      <div class="row" {...stop}>
        <Button class="link caption-open" aria-expanded={isOpen} aria-controls={id} onClick={() => setIsOpen(!isOpen)}>
          Method and settings
        </Button>
        {explains.length > 0 && <ExplainedList of={explains} />}
      </div>
      <div id={id} class={`caption-more${isOpen ? '' : ' closed'}`}>
        {reading !== '' && <p>{reading}</p>}
        {applied !== '' && sources.length > 0 && (
          <p class="applied">
            <bdi>{applied}</bdi>
          </p>
        )}
        {bySettings(sources).map(({ texts, notes }) => (
          <div key={notes}>
            {texts.map((text) => (
              <p key={text}>{text}</p>
            ))}
            <dl>
              {settingsOf(notes).map(({ name, value }) => (
                <div key={name} class="setting">
                  <dt>{name}</dt>
                  <dd>
                    <bdi>{value}</bdi>
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </div>
    </figcaption>
  )
}

/**
 * Returns the settings in the notes of an export, in order; the filter comes last, since it may contain any character.
 */
function settingsOf(notes: string): { name: string; value: string }[] {
  const [, line, , filter] = /^(.*?)(; filter = (.*))?$/s.exec(notes)!
  const found = line
    .replace(/FixationFilterSettings \[(.*)\]/, '$1')
    .split('; ')
    .map((part) => {
      const [name, ...value] = part.split(' = ')
      return value.length === 0 ? { name: 'version', value: name } : { name, value: value.join(' = ') }
    })
  return filter === undefined ? found : [...found, { name: 'filter', value: filter }]
}
