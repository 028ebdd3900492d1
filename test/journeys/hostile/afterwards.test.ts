import { AsyncLocalStorage } from 'node:async_hooks'
import { Body, Controller, Get, Post, type Request, type Response } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

let late: Request | undefined

@Controller()
class Waiting {
  @Get('never') never(req: Request) {
    late = req
    return new Promise(() => {})
  }
  @Get('fine') fine() {
    return 'fine'
  }
}

const controllers = [Waiting]
const timeouts = { handler: '30ms' }

describe('a request after the handler timeout', () => {
  it('has an aborted req.signal, even if the signal was not read before', async () => {
    const app = await TestApp.create({ contract: 'throw', controllers, timeouts, logger: false })
    expect((await app.request().get('/never')).status).toBe(503)
    expect(late?.signal.aborted).toBe(true)
    await app.close()
  })

  it('is logged outside the async context of any request', async () => {
    const context = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const app = await TestApp.create({
      contract: 'throw',
      controllers,
      timeouts,
      logger: { info() {}, warn() {}, error: () => seen.push(context.getStore()) },
      middlewares: [(req, _res, next) => context.run(req.headers.who, next)],
    })
    await app.request().get('/never').set('who', 'first')
    await app.request().get('/never').set('who', 'second')
    expect(seen).toEqual([undefined, undefined])
    await app.close()
  })
})

describe('an error that a middleware throws after next()', () => {
  it('is logged, and does not change the response', async () => {
    const logged: object[] = []
    const app = await TestApp.create({
      contract: 'throw',
      controllers,
      logger: { info() {}, warn() {}, error: (facts) => logged.push(facts) },
      middlewares: [
        (_req, _res, next) => {
          next()
          throw new Error('too late')
        },
      ],
    })
    expect((await app.request().get('/fine')).status).toBe(200)
    expect(logged).toMatchObject([{ err: { message: 'too late' } }])
    await app.close()
  })
})

describe('a JSON Schema that validates asynchronously', () => {
  it('causes a boot error', async () => {
    @Controller()
    class Items {
      @Post()
      @Body({ $async: true, type: 'object', required: ['a'] })
      create(_req: Request, res: Response) {
        res.end()
      }
    }
    const problems = await bootProblems({ controllers: [Items] })
    expect(problems).toMatchObject([{ code: 'E_SCHEMA_INVALID', subject: 'Items.create' }])
  })
})
