import { Controller, type ErrorContext, Get, HttpError, type Request } from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { expect, it, onTestFinished } from 'vitest'

/** An error of a service that is away, with the error of the connection below. */
function away(code: string, reason: string): HttpError {
  const cause = Object.assign(new Error(`connect ${reason}`), { code: reason })
  return new HttpError(503, 'It cannot be reached.', { code, cause })
}

@Controller('things')
class Things {
  @Get('fail/:code/:reason') fail(req: Request) {
    throw away(String(req.params['code']), String(req.params['reason']))
  }
  @Get('alone/:code') alone(req: Request) {
    throw new HttpError(503, 'It concerns this request.', { code: String(req.params['code']) })
  }
  @Get('bug') bug() {
    throw new Error('a bug')
  }
}

const FAILED = 'The request failed'
const MORE = 'More requests failed'

async function start(options: TestOptions = {}) {
  const lines: { message: string; facts: Record<string, unknown> }[] = []
  const add = (facts: object, message: string) => {
    lines.push({ facts: { ...facts }, message })
  }
  const app = await TestApp.create({
    controllers: [Things],
    logger: { info: add, warn: add, error: add },
    logs: true,
    contract: 'off',
    ...options,
  })
  onTestFinished(() => app.close())
  const get = (path: string) => app.request().get(`/things/${path}`)
  /** The lines about failures since the last call, without those of requests. */
  const failures = () =>
    lines
      .splice(0)
      .filter(({ message }) => message === FAILED || message === MORE)
      .map(({ message, facts: { code, reason, count } }) =>
        message === FAILED ? FAILED : { code, reason, count },
      )
  return { app, get, lines, failures }
}

it('an outage is logged at its first failure, and then once per second with a count', async () => {
  const { app, get, lines, failures } = await start()
  for (let i = 0; i < 5; i++) await get('fail/DATABASE_UNAVAILABLE/ECONNREFUSED')
  // Each request has its own line.
  expect(lines.filter(({ message }) => message.startsWith('GET '))).toHaveLength(5)
  expect(failures()).toEqual([FAILED])
  await app.clock.advance('1s')
  const more = { code: 'DATABASE_UNAVAILABLE', reason: 'ECONNREFUSED' }
  expect(failures()).toEqual([{ ...more, count: 4 }])
  for (let i = 0; i < 3; i++) await get('fail/DATABASE_UNAVAILABLE/ECONNREFUSED')
  expect(failures()).toEqual([])
  await app.clock.advance('1s')
  expect(failures()).toEqual([{ ...more, count: 3 }])
  await app.clock.advance('1s')
  expect(failures()).toEqual([])
  // The outage was over, so another one begins.
  await get('fail/DATABASE_UNAVAILABLE/ECONNREFUSED')
  expect(failures()).toEqual([FAILED])
})

it('an outage log counts each cause by its code and the code of the inner error', async () => {
  const { app, get, failures } = await start()
  const causes = [
    'DATABASE_UNAVAILABLE/25006',
    'DATABASE_UNAVAILABLE/53100',
    'SESSIONS_UNAVAILABLE/x',
  ]
  for (const path of [...causes, ...causes]) await get(`fail/${path}`)
  expect(failures()).toEqual([FAILED, FAILED, FAILED])
  await app.clock.advance('1s')
  expect(failures()).toEqual([
    { code: 'DATABASE_UNAVAILABLE', reason: '25006', count: 1 },
    { code: 'DATABASE_UNAVAILABLE', reason: '53100', count: 1 },
    { code: 'SESSIONS_UNAVAILABLE', reason: 'x', count: 1 },
  ])
})

it('an outage log counts all causes after the twentieth together', async () => {
  const { app, get, failures } = await start()
  for (let i = 0; i < 40; i++) await get(`fail/A${i}/x`)
  expect(failures()).toEqual(Array(21).fill(FAILED))
  await app.clock.advance('1s')
  expect(failures()).toEqual([{ code: '(others)', reason: undefined, count: 19 }])
})

it('an outage log writes its counts when the application closes', async () => {
  const { app, get, failures } = await start()
  for (let i = 0; i < 3; i++) await get('fail/SESSIONS_UNAVAILABLE/READONLY')
  await app.close()
  expect(failures()).toEqual([
    FAILED,
    { code: 'SESSIONS_UNAVAILABLE', reason: 'READONLY', count: 2 },
  ])
})

it.each(['alone/COMMIT_UNKNOWN', 'alone/HANDLER_TIMEOUT', 'alone/SERVICE_UNAVAILABLE', 'bug'])(
  'a failure that concerns only one request is always logged: %s',
  async (path) => {
    const { get, failures } = await start()
    for (let i = 0; i < 3; i++) await get(path)
    expect(failures()).toEqual([FAILED, FAILED, FAILED])
  },
)

it('each failure of an outage is logged if requests have no log lines', async () => {
  const { get, failures } = await start({ logs: false })
  for (let i = 0; i < 3; i++) await get('fail/DATABASE_UNAVAILABLE/ECONNREFUSED')
  expect(failures()).toEqual([FAILED, FAILED, FAILED])
})

it('each failure of an outage is reported to `onError`', async () => {
  const reported: ErrorContext[] = []
  const { get } = await start({ onError: (_, context) => void reported.push(context) })
  for (let i = 0; i < 3; i++) await get('fail/DATABASE_UNAVAILABLE/ECONNREFUSED')
  expect(reported.map(({ status, message }) => [status, message])).toEqual(
    Array(3).fill([503, FAILED]),
  )
})
