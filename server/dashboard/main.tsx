import './styles.css'
import { render } from 'preact'
import { App } from './layout.tsx'
import { startTheme } from './theme.ts'

startTheme()
render(<App />, document.getElementById('app')!)
