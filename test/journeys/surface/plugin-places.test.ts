import { Controller, Get, Idempotent, type Plugin, Post } from 'blazon'
import { TestApp } from 'blazon/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { gate } from '../gate.js'

let log: string[]
let entered: ReturnType<typeof gate>
let released: ReturnType<typeof gate>
beforeEach(() => {
  log = []
  entered = gate()
  released = gate()
})

@Controller('orders')
class OrdersController {
  @Idempotent() @Post() create() {
    log.push('handler')
    return { id: 1 }
  }

  @Get('slow') async slow() {
    entered.open()
    await released.opened
    return []
  }
}

/** A plugin that notes at which places its steps run. */
const noting: Plugin = {
  name: 'noting',
  steps: () => ({
    beforeGuard: (next) => (req, res) => {
      log.push('beforeGuard')
      return next(req, res)
    },
    aroundHandler: (next) => (req, res) => {
      log.push('aroundHandler')
      return next(req, res)
    },
  }),
}

const options = { controllers: [OrdersController], plugins: [noting], logger: false } as const

describe('the steps of a plugin', () => {
  it('run outside the steps of features, such as a response that is sent again', async () => {
    await using app = await TestApp.create({ ...options, contract: 'off' })
    const create = () => app.request().post('/orders').set('Idempotency-Key', 'key-1')
    expect((await create()).status).toBe(200)
    expect((await create()).status).toBe(200)
    expect(log).toEqual(['beforeGuard', 'aroundHandler', 'handler', 'beforeGuard', 'aroundHandler'])
  })

  it('run inside the limit of running requests', async () => {
    const capacity = { concurrent: 1, queue: 0 }
    await using app = await TestApp.create({ ...options, capacity, contract: 'off' })
    const first = app.fetch('/orders/slow')
    await entered.opened
    expect((await app.fetch('/orders/slow')).status).toBe(503)
    released.open()
    expect((await first).status).toBe(200)
    expect(log).toEqual(['beforeGuard', 'aroundHandler'])
  })
})
