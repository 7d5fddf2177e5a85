import type { Choices } from './choices.ts'

/** Draws the fields of the screen's size, for all and for those who had another. */
export function ScreenSize({ choices, onChange }: { choices: Choices; onChange: (changes: Partial<Choices>) => void }) {
  return (
    <>
      <div class="size-fields">
        <label class="field">
          <span>Width of the screen, px</span>
          <input
            type="text"
            inputMode="numeric"
            value={choices.widthPx}
            placeholder="1920"
            onInput={(event) => onChange({ widthPx: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>Height, px</span>
          <input
            type="text"
            inputMode="numeric"
            value={choices.heightPx}
            placeholder="1080"
            onInput={(event) => onChange({ heightPx: event.currentTarget.value })}
          />
        </label>
      </div>
      <details class="more-screens">
        <summary>Some participants had a different screen</summary>
        <label class="field">
          <span>One line for each: name, width, height</span>
          <textarea
            rows={3}
            value={choices.screens}
            placeholder="Kim, 1280, 1024"
            onInput={(event) => onChange({ screens: event.currentTarget.value })}
          />
        </label>
      </details>
    </>
  )
}
