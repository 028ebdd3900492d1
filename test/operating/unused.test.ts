import { expect, it } from 'vitest'
import { Service } from './service.js'

/** Whether a process has loaded a chunk. Node names each module that it compiles. */
async function loads(chunk: string, options: string, use = ''): Promise<boolean> {
  const program = `
    const app = new App(${options})
    await app.listen(0, { announce: false })
    ${use}
    await app.close()`
  const service = Service.start(program, { NODE_DEBUG: 'esm' })
  expect(await service.ended).toBe(0)
  expect(service.output).toContain('chunks/app.js')
  return service.output.includes(`chunks/${chunk}.js`)
}

it('an application without the option health does not load its code', async () => {
  expect(await loads('health-plugin', '{}')).toBe(false)
  expect(await loads('health-plugin', '{ health: true }')).toBe(true)
})

it('an application whose fetch is not called does not load its code', async () => {
  const call = `await app.fetch(new Request('http://localhost/'))`
  expect(await loads('fetch', '{}')).toBe(false)
  expect(await loads('fetch', '{}', call)).toBe(true)
})

it('an application without a stream does not load its code', async () => {
  const options = `await (async () => {
    const { Controller, Get, Sse } = await import('blazon')
    class Feed { async *read() {} }
    const descriptor = Object.getOwnPropertyDescriptor(Feed.prototype, 'read')
    for (const each of [Sse({ type: 'object' }), Get()]) each(Feed.prototype, 'read', descriptor)
    Controller()(Feed)
    return { controllers: [Feed] }
  })()`
  expect(await loads('compile-stream', '{}')).toBe(false)
  expect(await loads('compile-stream', options)).toBe(true)
})
