import { once } from 'node:events'
import { Controller, Get, type Request } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

// The listeners of the test runner would fail the run, so they are removed during a test.
let listeners: NodeJS.UnhandledRejectionListener[]
beforeEach(() => {
  listeners = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
})
afterEach(() => {
  const left = process.listenerCount('unhandledRejection')
  for (const listener of listeners) process.on('unhandledRejection', listener)
  expect(left).toBe(0)
})

async function sendMail(): Promise<void> {
  throw new Error('no mail server')
}

/** Resumes the waiting handler. */
let resume: () => void

function untilResumed(): Promise<void> {
  return new Promise((resolve) => {
    resume = resolve
  })
}

@Controller('users')
class UsersController {
  @Get('forgets') forgets() {
    sendMail()
    return 'created'
  }
  @Get('later') later() {
    untilResumed().then(sendMail)
    return 'created'
  }
  @Get('handles') handles() {
    sendMail().catch(() => {})
    return 'created'
  }
  @Get('slow') async slow(req: Request) {
    await untilResumed()
    Promise.reject(req.query.reason)
  }
  @Get('fails') async fails() {
    await sendMail()
  }
}

const options = { controllers: [UsersController] }

async function endOf(app: TestApp): Promise<unknown> {
  return app.close().then(
    () => 'fine',
    (error: unknown) => error,
  )
}

describe('an unhandled rejected promise', () => {
  it('rejects the supertest request that caused it, and is not reported again by close()', async () => {
    const app = await TestApp.create(options)
    const failure = await app
      .request()
      .get('/users/forgets')
      .catch((error) => error)
    expect(failure).toMatchObject({
      message: 'GET /users/forgets left a rejected promise without a handler: no mail server',
      cause: { message: 'no mail server' },
    })
    await app.request().get('/users/handles').expect(200)
    expect(await endOf(app)).toBe('fine')
  })

  it('does not affect other requests', async () => {
    const app = await TestApp.create(options)
    await app.fetch('/users/forgets')
    await app.request().get('/users/handles').expect(200)
    const failing = app.request().get('/users/forgets?again=yes')
    await expect(Promise.resolve(failing)).rejects.toThrow('GET /users/forgets?again=yes left')
    expect(await endOf(app)).toMatchObject({ message: expect.stringMatching(/forgets left/) })
  })

  it('is reported once, after a failed expectation of the same request', async () => {
    const app = await TestApp.create(options)
    const test = app.request().get('/users/forgets').expect(204)
    await expect(test).rejects.toThrow(
      /^expected 204[\s\S]*In addition: .*GET \/users\/forgets left/,
    )
    expect(await endOf(app)).toBe('fine')
  })

  it('makes close() reject with the request and the reason, if fetch() sent the request', async () => {
    const app = await TestApp.create(options)
    await app.fetch('/users/forgets')
    expect(await endOf(app)).toMatchObject({
      message: 'GET /users/forgets left a rejected promise without a handler: no mail server',
      cause: { message: 'no mail server' },
    })
  })

  it('is detected even if it occurs after the response', async () => {
    const app = await TestApp.create(options)
    await app.fetch('/users/later')
    const isRejected = once(process, 'unhandledRejection')
    resume()
    await isRejected
    expect(await endOf(app)).toMatchObject({
      message: expect.stringMatching(/^GET \/users\/later/),
    })
  })

  it('is detected during close(), even if the reason is a string', async () => {
    const app = await TestApp.create(options)
    const answer = app.fetch('/users/slow?reason=why%20not')
    await app.clock.advance(0)
    const end = endOf(app)
    resume()
    expect(await end).toMatchObject({
      message:
        'GET /users/slow?reason=why%20not left a rejected promise without a handler: why not',
    })
    await answer
  })

  it('affects only the application that caused it', async () => {
    const app = await TestApp.create(options)
    const other = await TestApp.create(options)
    await app.fetch('/users/forgets')
    await other.request().get('/users/handles').expect(200)
    expect(await endOf(other)).toBe('fine')
    expect(await endOf(app)).toBeInstanceOf(Error)
  })

  it('is reported for each request, in addition to an error of onClose()', async () => {
    class Stuck {
      onClose() {
        throw new Error('stuck')
      }
    }
    const app = await TestApp.create({ ...options, providers: [Stuck] })
    await app.fetch('/users/forgets')
    await app.fetch('/users/forgets')
    expect(await endOf(app)).toMatchObject({
      errors: [{ errors: [{ message: 'stuck' }] }, { cause: {} }, { cause: {} }],
    })
  })

  it('is also reported if the start of the application caused it', async () => {
    class Mailer {
      constructor() {
        sendMail()
      }
    }
    const app = await TestApp.create({ providers: [Mailer] })
    expect(await endOf(app)).toMatchObject({ message: expect.stringMatching(/^The start left/) })
  })
})

describe('the listener for unhandled rejections', () => {
  it('does not report a rejected promise that is caught or that results in a 500', async () => {
    const app = await TestApp.create(options)
    await app.request().get('/users/handles').expect(200)
    await app.request().get('/users/fails').expect(500)
    expect(await endOf(app)).toBe('fine')
  })

  it('is removed if the start fails', async () => {
    class Broken {
      onInit() {
        throw new Error('no')
      }
    }
    await expect(TestApp.create({ providers: [Broken] })).rejects.toThrow('no')
    expect(process.listenerCount('unhandledRejection')).toBe(0)
  })
})
