import { App } from 'blazon'
import { options } from './app.js'
import { Env } from './shared/env.js'
import { withStores } from './stores.js'

const config = Env.read()
// Tests create applications from `options`, without a log line for each request.
const app = new App({ ...withStores(options, config), logs: true })

try {
  await app.listen(config.PORT, { signals: true })
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException
  console.error(
    code === 'EADDRINUSE'
      ? `Port ${config.PORT} is in use. Choose another one: PORT=3001 npm start`
      : message,
  )
  process.exitCode = 1
  await app.close()
}
