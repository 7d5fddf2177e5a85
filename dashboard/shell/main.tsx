import '../ui/ui.css'
import { render } from 'preact'
import { startTheme } from '../core/colors/theme.ts'
import { keepFocus } from '../core/keep-focus.ts'
import { sendChartsAhead } from './chart-requests.ts'
import { App } from './layout.tsx'
import { loadAhead } from './pages.tsx'
import '../ui/print.css'

/** Draws the dashboard. */
export function draw(): void {
  startTheme()
  keepFocus()
  loadAhead(location.pathname)
  void sendChartsAhead(location)
  render(<App />, document.getElementById('app')!)
}
