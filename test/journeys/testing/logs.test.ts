import { Controller, Get, type Logger, type Plugin } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

@Controller()
class FailingController {
  @Get('fails') fails() {
    throw new Error('disk full')
  }
  @Get('fine') fine() {
    return 'fine'
  }
}

/** `suspicious` has an unknown option, which causes a warning at boot. */
const options = { controllers: [FailingController] }
const suspicious = { ...options, retries: 3 } as object

let app: TestApp
let printed: string
beforeEach(() => {
  printed = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    printed += String(chunk)
    return true
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await app.close()
})

describe('the logs of a TestApp', () => {
  it('are stored, and not printed', async () => {
    app = await TestApp.create(suspicious)
    await app.request().get('/fine')
    await app.request().get('/fails').expect(500)
    expect(app.logs).toMatchObject([
      { level: 'warn', facts: { code: 'W_OPTION_UNKNOWN' } },
      {
        level: 'error',
        facts: { err: { message: 'disk full' }, method: 'GET', url: '/fails', status: 500 },
        message: 'The request failed',
      },
    ])
    expect(printed).toBe('')
  })

  it('are printed by printLogs(), with the stack of errors', async () => {
    app = await TestApp.create(options)
    app.printLogs()
    expect(printed).toBe('')
    await app.request().get('/fails')
    app.printLogs()
    expect(printed).toMatch(/^\[error\] The request failed \{/)
    expect(printed).toMatch(/Error: disk full\n\s+at FailingController\.fails/)
  })

  it('provide the cause of a failed supertest expectation', async () => {
    app = await TestApp.create(options)
    const failure = await app
      .request()
      .get('/fails')
      .query({ q: 'a b' })
      .expect(200)
      .catch((error) => error)
    expect(failure.message).toContain('expected 200 "OK", got 500')
    expect(failure.cause).toMatchObject({ message: 'disk full' })
    const other = await app
      .request()
      .get('/fine')
      .expect(204)
      .catch((error) => error)
    expect(other.message).toContain('expected 204')
    expect(other.cause).toBeUndefined()
  })

  it('provide the cause of a failed supertest expectation that has a callback', async () => {
    app = await TestApp.create(options)
    const failure = await new Promise<Error>((resolve) => {
      app.request().get('/fails').expect(200).end(resolve)
    })
    expect(failure.cause).toMatchObject({ message: 'disk full' })
  })

  it('are kept after close()', async () => {
    app = await TestApp.create(options)
    await app.request().get('/fails')
    await app.close()
    expect(app.logs).toHaveLength(1)
  })

  it('are separate for each application', async () => {
    app = await TestApp.create(options)
    const other = await TestApp.create(options)
    await other.request().get('/fails')
    expect(app.logs).toEqual([])
    await other.close()
  })

  it('are stored even if `logger` is false', async () => {
    app = await TestApp.create({ ...options, logger: false })
    await app.request().get('/fails')
    expect(app.logs).toHaveLength(1)
    expect(printed).toBe('')
  })
})

describe('a logger that is passed to a TestApp', () => {
  /** The methods need `this`, like those of many libraries. */
  class Recorder implements Logger {
    readonly #lines: string[] = []
    get lines() {
      return this.#lines
    }
    info(_facts: object, message: string) {
      this.#lines.push(`info ${message}`)
    }
    warn(_facts: object, message: string) {
      this.#lines.push(`warn ${message.slice(0, 18)}`)
    }
    error(_facts: object, message: string) {
      this.#lines.push(`error ${message}`)
    }
    child() {
      return this.#lines.length
    }
  }

  it('also receives all messages', async () => {
    const logger = new Recorder()
    app = await TestApp.create({ ...suspicious, logger })
    await app.request().get('/fails')
    expect(logger.lines).toEqual(['warn [W_OPTION_UNKNOWN]', 'error The request failed'])
    expect(app.logs.map(({ level }) => level)).toEqual(['warn', 'error'])
    expect(printed).toBe('')
  })

  it('is available to plugins with all its methods, and their messages are also stored', async () => {
    let children: unknown
    const plugin: Plugin = {
      name: 'chatty',
      setup({ logger }) {
        logger.info({ rows: 3 }, 'migrated')
        Reflect.apply(logger.info, logger, ['alone'])
        children = (logger as Recorder).child()
      },
    }
    app = await TestApp.create({ ...options, plugins: [plugin], logger: new Recorder() })
    expect(children).toBe(2)
    expect(app.logs).toEqual([
      { level: 'info', facts: { rows: 3 }, message: 'migrated' },
      { level: 'info', facts: {}, message: 'alone' },
    ])
  })
})
