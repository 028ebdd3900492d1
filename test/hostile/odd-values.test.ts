import { App, type AppOptions, Controller, Get } from 'blazon'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exchange, post, request } from '../journeys/hostile/raw-connection.js'
import { reached } from './odd-place.js'
import { PLACES } from './odd-places.js'
import { ODD_VALUES } from './odd-values.js'

const KEYS = Object.keys(ODD_VALUES)

const silent = { info() {}, warn() {}, error() {} }

/** Errors that would have ended a process. */
const lost: string[] = []
const lose = (error: unknown) => void lost.push(textOf(error))

/** The text of an error, made now, because a comparison would read the error. */
function textOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.stack : error)
  } catch {
    return 'an error that cannot be printed'
  }
}

/** The listeners of the runner print errors, and some of these errors cannot be printed. */
const EVENTS = ['unhandledRejection', 'uncaughtException'] as const
const listenersOfRunner = EVENTS.map((event) => process.rawListeners(event) as (() => void)[])

beforeAll(() => {
  for (const event of EVENTS) process.removeAllListeners(event).on(event, lose)
})
afterAll(() => {
  for (const [i, event] of EVENTS.entries()) {
    process.removeAllListeners(event)
    for (const listener of listenersOfRunner[i] ?? []) process.on(event, listener)
  }
})

const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

async function start(options: AppOptions): Promise<[App, number]> {
  const timeouts = { handler: '40ms', close: '10ms' }
  const app = new App({ logger: silent, timeouts, ...options })
  return [app, (await app.listen(0, '127.0.0.1')).port]
}

describe('an unexpected value', () => {
  it.each(Object.entries(PLACES))(
    'results in one response, and in no access to a protected route: %s',
    async (_, place) => {
      const [app, port] = await start(place.options)
      const [lostBefore, reachedBefore] = [lost.length, reached.count]
      const wrong: string[] = []
      await Promise.all(
        KEYS.map(async (name, odd) => {
          const text =
            place.method === 'POST'
              ? post('/odd', JSON.stringify({ odd }))
              : request(`/odd?${odd}`, [`X-Odd: ${odd}`])
          const answers = await exchange(port, text).catch((error) => [
            { status: error.message, text: '', headers: {} as Record<string, string> },
          ])
          const [answer] = answers
          const isCut = answers.length === 0 && place.mayCut === true
          if (isCut) return
          const isWhole = answers.length === 1 && Number(answer?.status) >= 200
          const isDenied = place.denies !== true || Number(answer?.status) >= 400
          if (!isWhole || !isDenied || !isReadable(answer))
            wrong.push(
              `${name}: ${JSON.stringify(answers.map(({ status, text }) => [status, text.slice(0, 200)]))}`,
            )
        }),
      )
      await settled()
      await app.close()
      expect([...wrong, ...lost.slice(lostBefore)]).toEqual([])
      // No value of the list gives access.
      if (place.denies === true) expect(reached.count).toBe(reachedBefore)
    },
  )

  it.each(['onInit', 'onReady', 'onClose'])(
    'does not end the process if the hook %s of a provider returns it or throws it',
    async (hook) => {
      @Controller()
      class PlainController {
        @Get() plain() {
          return 'plain'
        }
      }
      const before = lost.length
      for (const [name, make] of Object.entries(ODD_VALUES)) {
        // The application would wait for it.
        if (name.includes('never')) continue
        for (const run of [make, async () => Promise.reject(make())]) {
          const providers = [{ token: 'odd', useFactory: () => ({ [hook]: run }) }]
          const app = new App({ controllers: [PlainController], providers, logger: false })
          await app.init().catch(() => {})
          await app.close().catch(() => {})
        }
      }
      await settled()
      expect(lost.slice(before)).toEqual([])
    },
  )
})

/** Whether a JSON response has an envelope. */
function isReadable(
  answer: { status: number; text: string; headers: Readonly<Record<string, string>> } | undefined,
): boolean {
  if (
    answer === undefined ||
    !answer.headers['content-type']?.startsWith('application/json') ||
    answer.text === ''
  )
    return true
  try {
    const body = JSON.parse(answer.text)
    return (
      answer.status < 400 ||
      (body.status === answer.status &&
        typeof body.message === 'string' &&
        typeof body.code === 'string')
    )
  } catch {
    return false
  }
}
