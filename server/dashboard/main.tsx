import { render } from 'preact'

render(<p>Gazette</p>, document.getElementById('app')!)
