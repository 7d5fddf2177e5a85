import '../ui/ui.css'
import { render } from 'preact'
import { startTheme } from '../core/colors/theme.ts'
import { keepFocus } from '../core/keep-focus.ts'
import { App } from './layout.tsx'
import '../ui/print.css'

startTheme()
keepFocus()
render(<App />, document.getElementById('app')!)
