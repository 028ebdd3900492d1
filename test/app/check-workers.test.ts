import { App, Controller, Get } from 'blazon'
import { sessions } from 'blazon/sessions'
import { afterEach, describe, expect, it } from 'vitest'

const LINK = Symbol.for('blazon.worker')

@Controller('things')
class ThingsController {
  @Get() list() {
    return []
  }
}

/** Makes this process a worker of four. */
function beWorker(isSpeaker: boolean): void {
  const link = { workers: 4, isSpeaker, onRetire() {}, shareMetrics() {} }
  Object.defineProperty(globalThis, LINK, { value: link, configurable: true })
}

async function warningsOf(options: object): Promise<string[]> {
  const warnings: string[] = []
  const logger = {
    info() {},
    warn: (_: object, text: string) => void warnings.push(text),
    error() {},
  }
  const app = await App.create({ controllers: [ThingsController], logger, ...options })
  await app.close()
  return warnings.filter((text) => text.includes('W_WORKERS_MEMORY'))
}

describe('what workers keep for themselves', () => {
  afterEach(() => void Reflect.deleteProperty(globalThis, LINK))

  it('is reported for a capacity, with the sum', async () => {
    beWorker(true)
    const [warning, ...others] = await warningsOf({ capacity: { concurrent: 10 } })
    expect(warning).toContain('together they run 40 requests at once')
    expect(warning).toContain('Divide concurrent, queue and perTenant by 4')
    expect(others).toEqual([])
  })

  it('is reported for sessions in memory', async () => {
    beWorker(true)
    const [warning] = await warningsOf({ plugins: [sessions()] })
    expect(warning).toMatch(/sessions?.* of one are unknown to the others/s)
  })

  it('is reported by one of them, and not outside of workers', async () => {
    beWorker(false)
    expect(await warningsOf({ capacity: { concurrent: 10 } })).toEqual([])
    Reflect.deleteProperty(globalThis, LINK)
    expect(await warningsOf({ capacity: { concurrent: 10 } })).toEqual([])
  })
})
