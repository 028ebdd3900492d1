import { expect, it } from 'vitest'
import { Service } from './service.js'

it('an application in a worker thread writes log lines even though its stdout has no file descriptor', async () => {
  const service = Service.start(`
    import { once } from 'node:events'
    import { isMainThread, Worker } from 'node:worker_threads'
    if (isMainThread) await once(new Worker(new URL(import.meta.url)), 'exit')
    else {
      const app = new App({ logs: true, controllers: [controller({ 'GET /': () => 'here' })] })
      const { port } = await app.listen(0, '127.0.0.1')
      await fetch('http://127.0.0.1:' + port)
      await app.close()
    }`)
  expect(await service.ended).toBe(0)
  expect(service.logged('GET /')).toMatchObject([{ level: 'info', status: 200 }])
})
