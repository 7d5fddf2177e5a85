import type { ComponentChildren } from 'preact'
import type { Settings } from '../../core/view/chart-settings.ts'
import { windowText } from '../../core/view/window-text.ts'

/** Says which parts of a page show whole recordings although a time window is set. */
export function WindowNote({ settings, children }: { settings: Settings; children: ComponentChildren }) {
  const text = windowText(settings)
  if (text === null) return null
  return (
    <p class="notice window-note">
      {children} Time window: {text}.
    </p>
  )
}
