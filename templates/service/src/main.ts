import { App } from 'blazon'
import { options } from './app.js'
import { Env } from './env.js'

const { PORT } = Env.read()
// Tests create applications from `options`, without a log line for each request.
await new App({ ...options, logs: true }).listen(PORT, { signals: true })
