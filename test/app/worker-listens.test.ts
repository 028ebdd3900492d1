import { App, type AppOptions } from 'blazon'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import type { WorkerApp, WorkerLink } from '../../src/app/worker-link.js'

const LINK = Symbol.for('blazon.worker')
afterEach(() => void Reflect.deleteProperty(globalThis, LINK))

/** Makes this process a worker of `blazon start`. Returns what its applications tell the command. */
function beWorker(isSpeaker = true): WorkerApp[] {
  const apps: WorkerApp[] = []
  const value: WorkerLink = {
    workers: 2,
    isSpeaker,
    isRetired: false,
    starts: async (start, app) => {
      apps.push(app)
      return await start()
    },
    shareMetrics: (() => {}) as never,
  }
  Object.defineProperty(globalThis, LINK, { value, configurable: true })
  return apps
}

function appOf(options: AppOptions = {}) {
  const lines: string[] = []
  const logger = { info: (_: object, text: string) => void lines.push(text), warn() {}, error() {} }
  const app = new App({ logger, ...options })
  onTestFinished(() => app.close())
  return { app, lines }
}

const host = '127.0.0.1'
const signals = () => process.listenerCount('SIGTERM')

describe('an application in a worker', () => {
  it.each([
    [true, undefined, 1],
    [false, undefined, 0],
    [false, true, 1],
    [true, false, 0],
  ])(
    'logs its address if it is the speaker (%s), or if `announce` is set: %s',
    async (isSpeaker, announce, count) => {
      beWorker(isSpeaker)
      const { app, lines } = appOf()
      await app.listen(0, { host, ...(announce !== undefined && { announce }) })
      expect(lines).toHaveLength(count)
    },
  )

  it('listens to signals unless `signals` is false, even if only its host is given', async () => {
    const before = signals()
    beWorker()
    const first = appOf().app
    await first.listen(0, host)
    expect(signals()).toBe(before + 1)
    await appOf().app.listen(0, { host, signals: false })
    expect(signals()).toBe(before + 1)
    await first.close()
    expect(signals()).toBe(before)
    Reflect.deleteProperty(globalThis, LINK)
    await appOf().app.listen(0, host)
    expect(signals()).toBe(before)
  })

  it.each([
    ['up', true, true],
    ['degraded', false, true],
    ['down', true, false],
  ])('is ready if its health is up or degraded: %s', async (status, required, isReady) => {
    const apps = beWorker()
    const check = () => {
      if (status !== 'up') throw new Error('away')
    }
    const { app } = appOf({ plugins: [{ name: 'store', health: { check, required } }] })
    await app.listen(0, { host, signals: false })
    expect(await apps[0]?.isReady()).toBe(isReady)
  })

  it('reports how long it can take to close: its pause, its requests, and each hook', async () => {
    const apps = beWorker()
    const onClose = () => {}
    const timeouts = { preStop: '1s', close: '20s', onClose: '300s' }
    const plugins = ['a', 'b'].map((name) => ({ name, onClose }))
    const { app: bare } = appOf({ timeouts })
    const { app } = appOf({ timeouts, plugins: [...plugins, { name: 'c', setup() {} }] })
    for (const each of [bare, app]) await each.listen(0, { host, signals: false })
    const [least = 0, most = 0] = apps.map(({ closeMs }) => closeMs())
    // At least the hooks `onClosing`, which all instances run at the same time.
    expect([least % 300_000, most - least]).toEqual([21_000, 600_000])
    expect(least).toBeGreaterThan(300_000)
  })
})
