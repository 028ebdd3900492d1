import { App } from 'blazon'
import { options } from './app.js'
import { Env } from './env.js'
import { withStores } from './stores.js'

const config = Env.read()
// Tests create applications from `options`, without a log line for each request.
const app = new App({ ...withStores(options, config), logs: true })
await app.listen(config.PORT, { signals: true })
