import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { App, Controller, Get } from 'blazon'
import { expect, it, onTestFinished } from 'vitest'

const storage = new AsyncLocalStorage<string>()

@Controller()
class ContextController {
  @Get() context() {
    return { context: storage.getStore() ?? null }
  }
}

/** An application that notes the async context in which it starts. */
function start() {
  const contexts: unknown[] = []
  const plugins = [{ name: 'noting', onInit: () => void contexts.push(storage.getStore()) }]
  const app = new App({ controllers: [ContextController], plugins, envelope: false, logger: false })
  onTestFinished(() => app.close())
  return { app, contexts }
}

it('the first call of app.fetch starts the application outside its async context', async () => {
  const { app, contexts } = start()
  const request = new Request('http://localhost/')
  const response = await storage.run('call', () => app.fetch(request))
  expect([await response.json(), contexts]).toEqual([{ context: 'call' }, [undefined]])
})

it('the first request of app.handler starts the application outside its async context', async () => {
  const { app, contexts } = start()
  const server = createServer((req, res) => storage.run('request', () => app.handler(req, res)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/`)
  expect([await response.json(), contexts]).toEqual([{ context: 'request' }, [undefined]])
})
