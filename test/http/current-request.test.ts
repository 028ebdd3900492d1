import { AsyncResource } from 'node:async_hooks'
import { App, Controller, Get, inject, Log } from 'blazon'
import { expect, it } from 'vitest'

it('a function of a request that runs after its application has closed has no current request', async () => {
  const lines: { facts: object; message: string }[] = []
  const write = (facts: object, message: string) => void lines.push({ facts, message })
  const logger = { info: write, warn: write, error: write }
  let log = () => {}

  @Controller('/')
  class Reports {
    readonly #log = inject(Log)
    @Get()
    report() {
      log = AsyncResource.bind(() => this.#log.info('written'))
      return 1
    }
  }

  const app = await App.create({ controllers: [Reports], logger })
  await app.fetch(new Request('http://localhost/'))
  log()
  await app.close()
  log()
  const written = lines.filter(({ message }) => message === 'written').map(({ facts }) => facts)
  expect(written).toEqual([expect.objectContaining({ method: 'GET' }), {}])
})
