import { App, Clock, Controller, defineAppOptions, Get, inject, type Request } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

class Sessions {
  private readonly clock = inject(Clock)
  private readonly expiries = new Map<string, number>()

  open(id: string) {
    this.expiries.set(id, this.clock.now() + 15 * 60_000)
  }

  isOpen(id: string) {
    return (this.expiries.get(id) ?? 0) > this.clock.now()
  }
}

@Controller()
class SessionsController {
  private readonly sessions = inject(Sessions)
  private readonly clock = inject(Clock)

  @Get('open') open() {
    this.sessions.open('a')
  }
  @Get('state') state() {
    return { isOpen: this.sessions.isOpen('a') }
  }
  @Get('time') time() {
    return new Date(this.clock.now())
  }
  @Get('never') never(req: Request) {
    return new Promise((_, reject) =>
      req.signal.addEventListener('abort', () => reject(req.signal.reason)),
    )
  }
}

const options = defineAppOptions({ controllers: [SessionsController], providers: [Sessions] })

let app: TestApp
afterEach(() => app.close())

describe('the clock of a TestApp', () => {
  it('is the clock that providers and controllers inject', async () => {
    app = await TestApp.create(options)
    expect(app.get(Clock)).toBe(app.clock)
    await app.request().get('/open')
    await app.clock.advance('14m')
    expect((await app.request().get('/state')).body.data).toEqual({ isOpen: true })
    await app.clock.advance('1m')
    expect((await app.request().get('/state')).body.data).toEqual({ isOpen: false })
  })

  it('runs timers that are due at the same time in the order in which they were set', async () => {
    app = await TestApp.create(options)
    // From now on, the clock does not run, so the times are exactly the same.
    await app.clock.advance(0)
    const rung: string[] = []
    app.clock.setTimeout(() => rung.push('late'), 2000)
    for (const name of ['a', 'b', 'c']) app.clock.setTimeout(() => rung.push(name), 1000)
    await app.clock.advance('2s')
    expect(rung).toEqual(['a', 'b', 'c', 'late'])
  })

  it('stops at a timer that throws, and the next advance() continues from there', async () => {
    app = await TestApp.create(options)
    await app.clock.advance(0)
    const begin = app.clock.now()
    const passed = () => app.clock.now() - begin
    const rung: number[] = []
    app.clock.setTimeout(() => {
      throw new Error('broken')
    }, 1000)
    app.clock.setTimeout(() => rung.push(passed()), 2500)
    const cancelled = app.clock.setInterval(() => rung.push(-1), 500)
    cancelled.cancel()
    const first = expect(app.clock.advance('2s')).rejects.toThrow('broken')
    await Promise.all([first, app.clock.advance('2s')])
    expect([rung, passed()]).toEqual([[2500], 3000])
  })

  it('can be set to a time', async () => {
    app = await TestApp.create(options)
    app.clock.set('2030-01-31T12:00:00Z')
    expect((await app.request().get('/time')).body.data).toBe('2030-01-31T12:00:00.000Z')
  })

  it('is independent of the clocks of other applications', async () => {
    app = await TestApp.create(options)
    const other = await TestApp.create(options)
    app.clock.set('2030-01-01')
    expect(new Date(other.clock.now()).getFullYear()).not.toBe(2030)
    await other.close()
  })

  it('ends handlers at their timeout when a test advances it, without real waiting', async () => {
    app = await TestApp.create(options)
    const statuses: number[] = []
    const answers = [app.request().get('/never'), app.request().get('/never')].map((test) =>
      test.then(({ status }) => statuses.push(status)),
    )
    await app.clock.advance('29s')
    expect(statuses).toEqual([])
    await app.clock.advance('1s')
    expect(statuses).toEqual([503, 503])
    await Promise.all(answers)
  })

  it('measures the handler timeout separately for each request', async () => {
    app = await TestApp.create(options)
    const statuses: string[] = []
    const get = (name: string) =>
      app
        .request()
        .get('/never')
        .then(({ status }) => statuses.push(`${name} ${status}`))
    const first = get('first')
    await app.clock.advance('20s')
    const second = get('second')
    await app.clock.advance('20s')
    expect(statuses).toEqual(['first 503'])
    await app.clock.advance('9s')
    expect(statuses).toEqual(['first 503'])
    await app.clock.advance('1s')
    expect(statuses).toEqual(['first 503', 'second 503'])
    await Promise.all([first, second])
  })

  it('follows the real time until a test moves it', async () => {
    app = await TestApp.create({ ...options, timeouts: { handler: '20ms' } })
    expect((await app.request().get('/never')).status).toBe(503)
    expect((await app.request().get('/never')).status).toBe(503)
  })
})

describe('the clock of an App', () => {
  it('uses the real time', async () => {
    app = await TestApp.create()
    const real = await App.create(options)
    const before = Date.now()
    expect(real.get(Clock).now()).toBeGreaterThanOrEqual(before)
    expect(real.get(Clock).now()).toBeLessThanOrEqual(Date.now())
    await real.close()
  })

  it('cannot be replaced by a provider', async () => {
    app = await TestApp.create()
    const providers = [{ token: Clock, useValue: { now: () => 0 } as Clock }]
    const [problem] = await bootProblems({ providers })
    expect(problem).toMatchObject({ code: 'E_PROVIDER_DUPLICATE', subject: 'Clock' })
    expect(problem?.cause).toContain('the framework')
  })
})
