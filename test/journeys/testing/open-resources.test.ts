import { createServer, type Server } from 'node:net'
import type { Plugin } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

let printed: string
beforeEach(() => {
  printed = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    printed += String(chunk)
    return true
  })
})

const opened: { close(): unknown }[] = []
afterEach(() => {
  vi.restoreAllMocks()
  for (const each of opened.splice(0)) each.close()
})

class Poller {
  readonly timer = setInterval(() => {}, 60_000)
  constructor() {
    opened.push({ close: () => clearInterval(this.timer) })
  }
}

class TidyPoller extends Poller {
  onClose() {
    clearInterval(this.timer)
  }
}

class PatientPoller extends Poller {
  constructor() {
    super()
    this.timer.unref()
  }
}

class Metrics {
  server: Server | undefined
  async onInit() {
    const server = createServer()
    this.server = server
    opened.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  }
}

class TidyMetrics extends Metrics {
  onClose() {
    this.server?.close()
  }
}

async function leftBy(...providers: (new () => object)[]) {
  const app = await TestApp.create({ providers })
  await app.close()
  return app.logs.map(({ message }) => message)
}

describe('the warning of close() about open resources', () => {
  it('contains a timer of a provider, and the line of code that set it', async () => {
    const [message, ...others] = await leftBy(Poller)
    expect(message).toMatch(
      /a resource is still open .*: Timeout, opened\n.*Poller.*open-resources/,
    )
    expect(others).toEqual([])
    expect(printed).toBe(`${message}\n`)
  })

  it('is passed only to the logger in the options, if there is one', async () => {
    const warnings: string[] = []
    const logger = { info() {}, warn: (_: object, text: string) => warnings.push(text), error() {} }
    const app = await TestApp.create({ providers: [Poller], logger })
    await app.close()
    expect(warnings).toHaveLength(1)
    expect(printed).toBe('')
  })

  it('does not hide another error if the logger throws', async () => {
    class Failing extends Poller {
      onClose() {
        throw new Error('no way to close')
      }
    }
    const refuse = (_: object, text: string) => {
      throw new Error(`refused: ${text}`)
    }
    const logger = { info() {}, warn: refuse, error() {} }
    const app = await TestApp.create({ providers: [Failing], logger })
    const failure = await app.close().then(String, (error) => error)
    expect(failure.errors.map(String)).toEqual([
      expect.stringContaining('Closing the application failed'),
      expect.stringContaining('refused: After close(), a resource is still open'),
    ])
  })

  it('contains a server that is still listening', async () => {
    const [message, ...others] = await leftBy(Metrics)
    expect(message).toMatch(/: TCPSERVERWRAP, opened\n/)
    expect(others).toEqual([])
  })

  it('includes resources of plugins', async () => {
    const plugin: Plugin = { name: 'poller', setup: () => void new Poller() }
    const app = await TestApp.create({ plugins: [plugin] })
    await app.close()
    expect(app.logs).toHaveLength(1)
  })

  it('excludes closed resources, and timers on which unref() was called', async () => {
    expect(await leftBy(TidyPoller, PatientPoller, TidyMetrics)).toEqual([])
  })

  it('does not include resources of another application', async () => {
    const leaking = TestApp.create({ providers: [Poller] })
    const tidy = TestApp.create({ providers: [TidyPoller] })
    await (await tidy).close()
    await (await leaking).close()
    expect((await tidy).logs).toEqual([])
    expect((await leaking).logs).toHaveLength(1)
  })
})
