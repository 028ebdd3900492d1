import { App } from 'blazon'
import { options } from './app.js'
import { Env } from './env.js'

const { PORT } = Env.read()
// Tests make their applications from `options`, without a line for each request.
await new App({ ...options, logs: true }).listen(PORT, { signals: true })
