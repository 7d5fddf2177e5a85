import { useId, useState } from 'preact/hooks'
import { Button } from '../ui/controls/button.tsx'
import { bySettings, type Caption } from './captions.ts'

type CaptionTextProps = { caption: Caption; applied: string }

/**
 * Draws a caption: its sentence and, on demand or in print, how to read the figure, its sources and their settings.
 *
 * @param applied what applies to the figures of the page
 */
export function CaptionText({ caption: { short, reading, sources }, applied }: CaptionTextProps) {
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <figcaption>
      <p>{short}</p>
      <Button class="link caption-open" aria-expanded={isOpen} aria-controls={id} onClick={() => setIsOpen(!isOpen)}>
        Method and settings
      </Button>
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
