import {
  ConflictError,
  Controller,
  defineControllers,
  Get,
  Post,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'

/** Methods that a handler may still call on a response after the framework has sent an error. */
const CALLS: Record<string, (res: Response) => unknown> = {
  setHeader: (res) => res.setHeader('X-Late', '1'),
  appendHeader: (res) => res.appendHeader('X-Late', '1'),
  removeHeader: (res) => res.removeHeader('Content-Type'),
  writeHead: (res) => res.writeHead(201, { 'X-Late': '1' }),
  flushHeaders: (res) => res.flushHeaders(),
  write: (res) => res.write('late'),
  end: (res) => res.end('late'),
  json: (res) => res.status(201).json({ late: true }),
  send: (res) => res.send('late'),
  sendStatus: (res) => res.sendStatus(201),
  redirect: (res) => res.redirect('/late'),
  cookie: (res) => res.cookie('late', '1'),
  append: (res) => res.append('X-Late', '1'),
  vary: (res) => res.vary('X-Late'),
  type: (res) => res.type('text/plain'),
  links: (res) => res.links({ next: '/late' }),
}

let late: ((res: Response) => unknown)[] = []
let outcome: Promise<unknown> | undefined

@Controller()
class LateController {
  /** Throws at once without reading its body, and continues in a callback. */
  @Post('failed')
  failed(_req: Request, res: Response) {
    outcome = new Promise((resolve) => {
      // This runs after the error, which is sent at once.
      process.nextTick(() => {
        try {
          for (const call of late) call(res)
          resolve('fine')
        } catch (error) {
          resolve(error)
        }
      })
    })
    throw new ConflictError('taken')
  }

  /** Leaves its body unread. */
  @Post('late')
  lateWithBody(req: Request, res: Response) {
    return this.late(req, res)
  }

  @Get('late')
  late(req: Request, res: Response) {
    outcome = new Promise((resolve) => {
      req.signal.addEventListener('abort', () => {
        // This runs after all listeners of the timeout.
        setImmediate(() => {
          try {
            for (const call of late) call(res)
            resolve('fine')
          } catch (error) {
            resolve(error)
          }
        })
      })
    })
    return new Promise(() => {})
  }
}

const controllers = defineControllers(LateController)

async function ask(names: readonly string[], init: RequestInit = {}) {
  late = names.map((name) => CALLS[name] as (res: Response) => unknown)
  await using app = await TestApp.create({ controllers, logger: false, contract: 'off' })
  const answer = app.fetch('/late', init)
  await app.clock.advance('30s')
  const response = await answer
  return { outcome: await outcome, response, body: await response.json() }
}

const UNREAD = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x'.repeat(1e6) }

describe.each([
  ['has expired', {}],
  ['has expired while the body is unread', UNREAD],
])('a handler whose time limit %s', (_when, init) => {
  it.each(Object.keys(CALLS))('can still call res.%s() twice without effect', async (name) => {
    const { outcome, response, body } = await ask([name, name], init)
    expect(outcome).toBe('fine')
    expect(body).toMatchObject({ status: 503, code: 'HANDLER_TIMEOUT' })
    expect([...response.headers.keys()]).not.toContain('x-late')
    expect(response.headers.getSetCookie()).toEqual([])
  })

  it('can still call all methods of the response without effect', async () => {
    const { outcome, body } = await ask(Object.keys(CALLS), init)
    expect(outcome).toBe('fine')
    expect(body).toMatchObject({ status: 503 })
  })
})

describe('a handler that failed before it read the body', () => {
  it.each(Object.keys(CALLS))('can still call res.%s() without effect', async (name) => {
    late = [CALLS[name] as (res: Response) => unknown]
    await using app = await TestApp.create({ controllers, logger: false, contract: 'off' })
    const response = await app.fetch('/failed', UNREAD)
    expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
      409,
      'taken',
    ])
    expect([...response.headers.keys()]).not.toContain('x-late')
    expect(await outcome).toBe('fine')
  })
})
