import { AsyncResource } from 'node:async_hooks'
import { App, Controller, Get, inject, Log } from 'blazon'
import { expect, it } from 'vitest'

it('a function of a request has its request until all onClose hooks have run, and none later', async () => {
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
    onClose() {
      log()
    }
  }

  const app = await App.create({ controllers: [Reports], logger })
  await app.fetch(new Request('http://localhost/'))
  log()
  await app.close()
  log()
  const written = lines.filter(({ message }) => message === 'written').map(({ facts }) => facts)
  const ofRequest = expect.objectContaining({ method: 'GET' })
  expect(written).toEqual([ofRequest, ofRequest, {}])
})
