import { App } from 'blazon'
import { options } from './app.js'
import { withStores } from './stores.js'

const port = Number(process.env.PORT ?? 3000)
const app = new App(withStores(options, process.env))

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => app.close(signal))
}

try {
  const address = await app.listen(port)
  const routes = app.getRouteTable().length
  const bootTime = Math.round(performance.now())
  const origin = `http://localhost:${address.port}`
  console.log(`${origin} · ${routes} routes · ready in ${bootTime} ms · docs at ${origin}/api-docs`)
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException
  console.error(
    code === 'EADDRINUSE' ? `Port ${port} is taken. Choose another: PORT=3001 npm start` : message,
  )
  process.exitCode = 1
  await app.close()
}
