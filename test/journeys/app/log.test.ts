import { once } from 'node:events'
import { App, Controller, Get, type Request } from 'blazon'
import { TestApp } from 'blazon/testing'
import pino from 'pino'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { turns } from '../turns.js'

@Controller()
class FailingController {
  @Get('throws') throws() {
    throw new Error('The disk is full of plums')
  }
  @Get('waits') async waits(req: Request) {
    await once(req, 'never', { signal: req.signal })
  }
}

let lines: string[]
let logger: pino.Logger
beforeEach(() => {
  lines = []
  logger = pino({ level: 'trace' }, { write: (line) => void lines.push(line) })
})

interface Line {
  readonly msg: string
  readonly err?: { readonly message: string; readonly stack: string }
}

/** All lines of the log. Checks that no line repeats the message of its error: only the stack may contain it. */
function logged(): Line[] {
  const read = lines.map((line) => JSON.parse(line) as Line)
  for (const { msg, err } of read) {
    expect(msg).toMatch(/\w/)
    if (err !== undefined) expect(err.message).not.toContain(msg)
    if (err !== undefined) expect(msg).not.toContain(err.message)
  }
  expect(new Set(read.map(({ msg, err }) => `${msg} ${err?.message}`)).size).toBe(read.length)
  return read
}

describe('the default logger', () => {
  it('writes an error whose fields cannot be serialized as JSON', async () => {
    const written: string[] = []
    const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written.push(String(text))
      return true
    })
    onTestFinished(() => write.mockRestore())
    const request: { self?: object } = {}
    request.self = request
    @Controller('loop')
    class LoopController {
      @Get() loop() {
        throw Object.assign(new Error('No route to the stock'), { request })
      }
    }
    const app = await App.create({ controllers: [LoopController] })
    onTestFinished(() => app.close())
    const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
    await fetch(`http://127.0.0.1:${port}/loop`)
    const [line] = written.map((text) => JSON.parse(text))
    expect(line).toMatchObject({
      level: 'error',
      message: 'The request failed',
      err: { name: 'Error', message: 'No route to the stock', stack: expect.any(String) },
    })
  })
})

describe('a pino logger', () => {
  it('receives a failure once, with its error', async () => {
    await using app = await TestApp.create({ controllers: [FailingController], logger })
    await app.request().get('/throws')
    expect(logged().map(({ msg, err }) => [msg, err?.message])).toEqual([
      ['The request failed', 'The disk is full of plums'],
    ])
  })

  it('receives a handler timeout once, even if the handler rethrows the abort reason', async () => {
    await using app = await TestApp.create({ controllers: [FailingController], logger })
    const answer = app
      .request()
      .get('/waits')
      .then(({ status }) => status)
    await app.clock.advance('31s')
    expect(await answer).toBe(503)
    await app.close()
    expect(logged().map(({ err }) => err?.message)).toEqual(['The handler took too long'])
  })

  it('receives the boot warnings', async () => {
    const app = await App.create({ logger, testOverrides: [] })
    await app.close()
    expect(logged().map(({ msg }) => msg)).toEqual([expect.stringContaining('testOverrides')])
  })

  it('receives the error of an onClose hook after a failed start, but not the error of the start', async () => {
    const fails = {
      name: 'p',
      setup() {
        throw new Error('The door is stuck')
      },
      onClose() {
        throw new Error('So is the window')
      },
    }
    await expect(App.create({ logger, plugins: [fails] })).rejects.toThrow('The door is stuck')
    expect(logged()).toHaveLength(1)
    expect(lines.join()).not.toContain('The door is stuck')
  })
})

describe('a logger whose functions fail', () => {
  const failing: [string, () => unknown][] = [
    ['throw', () => fail('The disk is full')],
    ['reject', async () => fail('The disk is full')],
  ]

  /** Collects the errors that would end the process. */
  function uncaught(): unknown[] {
    const errors: unknown[] = []
    const note = (error: unknown) => void errors.push(error)
    for (const event of ['unhandledRejection', 'uncaughtException']) {
      process.on(event, note)
      onTestFinished(() => void process.off(event, note))
    }
    return errors
  }

  it.each(failing)('does not affect the start or the end of an application: %s', async (_, log) => {
    const errors = uncaught()
    const plugins = [{ name: 'p', onClose: () => fail('It is stuck') }]
    const loggers = { info: log, warn: log, error: log }
    const app = new App({ logger: loggers, testOverrides: [], plugins })
    await app.listen(0, '127.0.0.1')
    await expect(app.close()).rejects.toMatchObject({ errors: [new Error('It is stuck')] })
    await turns()
    expect(errors).toEqual([])
  })

  it.each(failing)('does not replace the error of a failed start: %s', async (_, log) => {
    const plugins = [
      { name: 'p', setup: () => fail('No schema'), onClose: () => fail('It is stuck') },
    ]
    const starting = App.create({ logger: { info: log, warn: log, error: log }, plugins })
    await expect(starting).rejects.toThrow('No schema')
  })

  it.each(failing)(
    'does not affect a request whose route a middleware hides: %s',
    async (_, log) => {
      const errors = uncaught()
      const app = new App({
        controllers: [FailingController],
        middlewares: [(_req, res, _next) => void res.send('hidden')],
        logger: { info: log, warn: log, error: log },
      })
      onTestFinished(() => app.close())
      const { port } = await app.listen(0, '127.0.0.1')
      expect(await (await fetch(`http://127.0.0.1:${port}/throws`)).text()).toBe('hidden')
      await turns()
      expect(errors).toEqual([])
    },
  )
})

function fail(message: string): never {
  throw new Error(message)
}
