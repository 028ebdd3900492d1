import { App } from 'blazon'
import { options } from './app.js'

const port = Number(process.env['PORT'] ?? 3000)
await new App(options).listen(port, { signals: true })
