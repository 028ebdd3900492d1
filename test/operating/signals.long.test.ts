import { Agent, get as httpGet, type IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { Service } from './service.js'

/** Sends a GET request on a connection of its own. */
function get(url: string, agent = new Agent()): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpGet(url, { agent }, (res) => resolve(res.resume())).on('error', reject)
  })
}
const HANDLERS = `
const handlers = {
  // Ends when the process has received a signal.
  'GET slow': async () => { say('entered'); await signalled; await wait(1); return 'done' },
  'GET stuck': () => { say('entered'); return new Promise(() => {}) },
  'GET throws': () => { setImmediate(() => { throw new Error('nobody catches this') }); return new Promise(() => {}) },
}
const controllers = [controller(handlers)]
`
const main = (options = '', listen = '') => `${HANDLERS}
const app = new App({ controllers, health: true, ${options} })
await app.listen(0, { signals: true, ${listen} })
`

describe('a signal', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends an idle application with status 0: %s',
    async (signal) => {
      const service = Service.start(main())
      await service.url()
      service.kill(signal)
      expect(await service.ended).toBe(0)
      expect(service.logged('Closing')).toMatchObject([{ signal }])
    },
  )

  it('lets a running request finish, and adds Connection: close to its response', async () => {
    const service = Service.start(main())
    const url = await service.url()
    const answer = get(`${url}/slow`, new Agent({ keepAlive: true }))
    await service.wrote('entered')
    service.kill('SIGTERM')
    const { statusCode, headers } = await answer
    expect([statusCode, headers.connection]).toEqual([200, 'close'])
    expect(await service.ended).toBe(0)
  })

  it('aborts a handler that never ends, logs its route, and ends the process with status 1', async () => {
    const service = Service.start(main("timeouts: { close: '100ms' }"))
    const url = await service.url()
    const cut = [`${url}/stuck`, `${url}/stuck?token=secret`].map((each) =>
      expect(get(each)).rejects.toThrow(),
    )
    await expect.poll(() => service.output.match(/entered/g)).toHaveLength(2)
    service.kill('SIGTERM')
    await Promise.all(cut)
    expect(await service.ended).toBe(1)
    expect(service.logged('were aborted')).toMatchObject([{ count: 2, cut: { 'GET /stuck': 2 } }])
    expect(service.output).not.toContain('secret')
  })

  it('ends the process immediately if the application is already closing because of a signal', async () => {
    const service = Service.start(main("timeouts: { close: '1h' }"))
    const url = await service.url()
    const cut = expect(get(`${url}/stuck`)).rejects.toThrow()
    await service.wrote('entered')
    service.kill('SIGTERM')
    await service.wrote('"Closing"')
    service.kill('SIGINT')
    expect(await service.ended).toBe(1)
    expect(service.logged('A second signal')).toMatchObject([{ level: 'warn', signal: 'SIGINT' }])
    await cut
  })

  it('runs every onClose once in reverse order, and ends with status 1 if one fails or hangs', async () => {
    const plugin = (name: string, end: string) =>
      `{ name: '${name}', onClose(signal) { say('closes ${name} ' + signal); ${end} } }`
    const plugins = [
      plugin('first', ''),
      plugin('hangs', 'return new Promise(() => {})'),
      plugin('fails', "throw new Error('no goodbye')"),
      plugin('last', ''),
    ]
    const options = `plugins: [${plugins.join()}], timeouts: { onClose: '50ms' }`
    const service = Service.start(main(options))
    await service.url()
    service.kill('SIGTERM')
    expect(await service.ended).toBe(1)
    expect(service.output.match(/^closes .*$/gm)).toEqual([
      'closes last SIGTERM',
      'closes fails SIGTERM',
      'closes hangs SIGTERM',
      'closes first SIGTERM',
    ])
    expect(service.logged('Closing the application failed')).toMatchObject([
      { err: { message: 'no goodbye' } },
      { err: { message: "onClose of plugin 'hangs' did not end within 50 ms (timeouts.onClose)" } },
    ])
  })

  it('stops a running startup, closes all opened resources, and prevents the server from listening', async () => {
    const service = Service.start(`
      setInterval(() => {}, 1000)
      const opened = { name: 'opened', setup() {}, onClose: () => say('closed') }
      const slow = { name: 'slow', setup: async () => { say('starting'); await signalled } }
      const never = { name: 'never', setup: () => say('went on') }
      const app = new App({ plugins: [opened, slow, never] })
      await app.listen(0, { signals: true })
      say('listens')`)
    await service.wrote('starting')
    service.kill('SIGTERM')
    expect(await service.ended).toBe(0)
    expect(service.output).toContain('closed')
    expect(service.output).not.toMatch(/went on|listens|Listening|Error/)
  })

  it('ends the process with status 1 if the startup does not finish in time', async () => {
    const service = Service.start(`
      setInterval(() => {}, 1000)
      const stuck = { name: 'stuck', setup: () => { say('starting'); return new Promise(() => {}) } }
      const app = new App({ plugins: [stuck], timeouts: { close: '50ms' } })
      await app.listen(0, { signals: true })`)
    await service.wrote('starting')
    service.kill('SIGTERM')
    expect(await service.ended).toBe(1)
    expect(service.logged('The startup did not finish')).toHaveLength(1)
  })

  it.each([
    ['throws', "throw new Error('no disk')"],
    ['rejects', "return Promise.reject(new Error('no disk'))"],
  ])('closes the application even if the logger %s', async (_, fails) => {
    const logger = `{ info() { ${fails} }, warn() { ${fails} }, error() { ${fails} } }`
    const service = Service.start(`${HANDLERS}
      const onClose = () => { say('closed'); throw new Error('no goodbye') }
      const db = { name: 'db', onClose }
      const timeouts = { close: '50ms' }
      const app = new App({ controllers, plugins: [db], logger: ${logger}, timeouts })
      const { port } = await app.listen(0, { signals: true })
      fetch('http://127.0.0.1:' + port + '/stuck').catch(() => {})`)
    await service.wrote('entered')
    service.kill('SIGTERM')
    expect(await service.ended).toBe(1)
    expect(service.output).toContain('closed')
    expect(service.output).not.toContain('no disk')
  })

  it('ends the process immediately if it is sent again, even if a test has stopped the clock', async () => {
    const service = Service.start(`
      import { TestApp } from 'blazon/testing'
      const onClose = () => { say('closing'); return new Promise(() => {}) }
      const stuck = { name: 'stuck', onClose }
      const app = await TestApp.create({ plugins: [stuck], timeouts: { onClose: '1h' } })
      await app.clock.advance(1)
      await app.listen(0, { signals: true })
      say('listens')`)
    await service.wrote('listens')
    service.kill('SIGTERM')
    await service.wrote('closing')
    // The same signal counts once for 0.25 s.
    await new Promise((resolve) => setTimeout(resolve, 300))
    service.kill('SIGTERM')
    expect(await service.ended).toBe(1)
  })

  it('has no listeners without the option `signals` or after close()', async () => {
    const service = Service.start(`
      const before = process.listenerCount('SIGTERM') + process.listenerCount('uncaughtException')
      const app = new App()
      await app.listen(0)
      const without = process.listenerCount('SIGTERM') + process.listenerCount('uncaughtException')
      const other = new App()
      await other.listen(0, { signals: true })
      const during = process.listenerCount('SIGTERM') + process.listenerCount('uncaughtException')
      await Promise.all([app.close('SIGTERM'), other.close()])
      await wait(10)
      const after = process.listenerCount('SIGTERM') + process.listenerCount('uncaughtException')
      say([without - before, during - before, after - before, process.getActiveResourcesInfo()].join())`)
    expect(await service.ended).toBe(0)
    expect(service.output).toMatch(/^0,2,0,(PipeWrap,?)*$/m)
  })
})

describe('an uncaught error', () => {
  it('is logged, closes the application, and ends the process with status 1', async () => {
    const plugin = "{ name: 'db', onClose: (signal) => say('closed by ' + signal) }"
    const service = Service.start(main(`plugins: [${plugin}], timeouts: { close: '50ms' }`))
    const url = await service.url()
    await expect(get(`${url}/throws`)).rejects.toThrow()
    expect(await service.ended).toBe(1)
    const [line] = service.logged('An error was not caught')
    expect(line).toMatchObject({ err: { message: 'nobody catches this' } })
    expect(service.output).toContain('closed by undefined')
  })

  it('can also be an unhandled promise rejection', async () => {
    const failing = Service.start(`${main()}
      void Promise.reject(new Error('forgotten'))`)
    expect(await failing.ended).toBe(1)
    expect(failing.logged('was not caught')).toMatchObject([{ origin: 'unhandledRejection' }])
  })

  it('does not prevent a signal from ending the process immediately', async () => {
    const plugin = "{ name: 'db', onClose: () => { say('closes'); return wait(3_600_000) } }"
    const service = Service.start(`${main(`plugins: [${plugin}], timeouts: { onClose: '1h' }`)}
      void Promise.reject(new Error('first'))`)
    await service.wrote('closes')
    service.kill('SIGTERM')
    expect(await service.ended).toBe(1)
    expect(service.logged('A second signal')).toHaveLength(1)
  })
})

describe('a failed startup', () => {
  it('leaves no listeners behind', async () => {
    const service = Service.start(`
      const app = new App({ prefix: '??' })
      await app.listen(0, { signals: true }).catch((error) => say(error.name))
      say('left ' + process.listenerCount('SIGTERM'))`)
    expect(await service.ended).toBe(0)
    expect(service.output).toMatch(/ConfigError\nleft 1/)
  })
})
