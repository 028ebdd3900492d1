import { Controller, Get, Injectable, inject, type Plugin } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'
import { Cron, cron } from './index.js'

class Journal {
  readonly lines: string[] = []
}

@Injectable()
class Reports {
  readonly journal = inject(Journal)

  @Cron('*/15 * * * *')
  send() {
    this.journal.lines.push('sent')
  }

  @Cron('0,30 6 * * *')
  async fail() {
    this.journal.lines.push('failed')
    throw new Error('no printer')
  }
}

@Controller('orders')
class Orders {
  readonly journal = inject(Journal)
  release: () => void = () => {}

  @Get()
  list() {
    return []
  }

  @Cron('* * * * *')
  slow() {
    this.journal.lines.push('slow')
    return new Promise<void>((resolve) => {
      this.release = resolve
    })
  }
}

const start = async (classes: object, plugins: Plugin[] = [cron()]) => {
  const errors: object[] = []
  const logger = { info() {}, warn() {}, error: (facts: object) => errors.push(facts) }
  const app = await TestApp.create({ ...classes, plugins, logger })
  // From here on, the clock is one minute after a full hour.
  const sinceHour = (app.clock.now() % 3_600_000) / 1000
  await app.clock.advance(3660 - sinceHour)
  const { lines } = app.get(Journal)
  lines.length = 0
  errors.length = 0
  return { app, lines, errors }
}

describe('the @Cron decorator', () => {
  it('runs a method of a provider at the scheduled minutes', async () => {
    const { app, lines } = await start({ providers: [Journal, Reports] })
    await app.clock.advance('13m')
    expect(lines.filter((line) => line === 'sent')).toEqual([])
    await app.clock.advance('1h')
    expect(lines.filter((line) => line === 'sent')).toHaveLength(4)
    await app.close()
  })

  it('logs the failure of a method, and runs the method again later', async () => {
    const { app, lines, errors } = await start({ providers: [Journal, Reports] })
    await app.clock.advance('24h')
    expect(lines.filter((line) => line === 'failed')).toHaveLength(2)
    expect(errors).toMatchObject([{ job: 'Reports.fail' }, { job: 'Reports.fail' }])
    await app.close()
  })

  it('does not start a method again while it is running, and stops when the application closes', async () => {
    const { app, lines } = await start({ controllers: [Orders], providers: [Journal] })
    await app.clock.advance('3m')
    const before = lines.length
    app.get(Orders).release()
    await app.clock.advance('1m')
    expect([before, lines.length]).toEqual([0, 1])
    await app.close()
    app.get(Orders).release()
    await app.clock.advance('5m').catch(() => {})
    expect(lines).toHaveLength(1)
  })

  it.each([
    ['* * * *', 'does not have five fields'],
    ['60 * * * *', "Its minute is '60'"],
    ['* * 0 * *', "Its day is '0'"],
    ['* * * * x', "Its weekday is 'x'"],
    ['*/0 * * * *', "Its minute is '*/0'"],
  ])('is refused at boot with the expression %s', async (expression, cause) => {
    class Wrong {
      @Cron(expression)
      run() {}
    }
    const [problem] = await bootProblems({ providers: [Wrong] })
    expect(problem).toMatchObject({ code: 'E_OPTION_INVALID', subject: 'Wrong.run @Cron' })
    expect(problem?.cause).toContain(cause)
  })
})
