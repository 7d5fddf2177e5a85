import './styles.css'
import { render } from 'preact'
import { startTheme } from './colors/theme.ts'
import { App } from './layout.tsx'

startTheme()
render(<App />, document.getElementById('app')!)
