import './styles.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { startTheme } from './theme.ts'

startTheme()
render(<App />, document.getElementById('app')!)
