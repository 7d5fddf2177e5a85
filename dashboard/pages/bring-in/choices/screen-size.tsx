import { Field, TextField } from '../../../ui/controls/field.tsx'
import type { Choices } from './choices.ts'

/** Draws the fields of the screen's size, for everybody and for participants with another screen. */
export function ScreenSize({ choices, onChange }: { choices: Choices; onChange: (changes: Partial<Choices>) => void }) {
  return (
    <>
      <div class="size-fields">
        <TextField
          label="Width of the screen, px"
          inputMode="numeric"
          value={choices.widthPx}
          placeholder="1920"
          onText={(text) => onChange({ widthPx: text })}
        />
        <TextField
          label="Height, px"
          inputMode="numeric"
          value={choices.heightPx}
          placeholder="1080"
          onText={(text) => onChange({ heightPx: text })}
        />
      </div>
      <details class="more-screens">
        <summary>Some participants had a different screen</summary>
        <Field label="One line for each: name, width, height">
          <textarea
            rows={3}
            value={choices.screens}
            placeholder="Kim, 1280, 1024"
            onInput={(event) => onChange({ screens: event.currentTarget.value })}
          />
        </Field>
      </details>
    </>
  )
}
