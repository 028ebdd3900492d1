import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get as httpGet } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, type AppOptions, Controller, Get, type Logger, type SocketPath } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

@Controller('users')
class UsersController {
  @Get() list() {
    return []
  }
  @Get(':id') one() {
    return {}
  }
}

@Controller('one')
class OneController {
  @Get() get() {
    return {}
  }
}

/** The lines that an application logs at the level info. */
function setUp(options: AppOptions = {}) {
  const lines: { facts: object; message: string }[] = []
  const logger: Logger = {
    info: (facts, message) => void lines.push({ facts, message }),
    warn() {},
    error() {},
  }
  const app = new App({ controllers: [UsersController], logger, ...options })
  onTestFinished(() => app.close())
  return { app, lines }
}

describe('listen()', () => {
  it('logs one line with the address, the number of routes, and the startup time', async () => {
    const { app, lines } = setUp()
    const before = performance.now()
    const { port } = await app.listen(0)
    const url = `http://localhost:${port}`
    expect(lines).toHaveLength(1)
    const [{ facts }] = lines as unknown as [{ facts: { startMs?: number } }]
    expect(facts.startMs).toBeLessThanOrEqual(Math.ceil(performance.now() - before))
    expect(lines[0]).toMatchObject({ facts: { url, routes: 2, startMs: expect.any(Number) } })
    const text = new RegExp(
      `^Listening on ${url} with 2 routes, started in \\d+ ms; documentation: ${url}/api-docs$`,
    )
    expect(lines[0]?.message).toMatch(text)
    expect((await fetch(`${url}/api-docs`)).status).toBe(200)
    expect((await fetch(`${url}/users`)).status).toBe(200)
  })

  it.each([
    ['is off', { swagger: false }, 'test'],
    ['is served in production', { swagger: { path: '/docs', enabled: true } }, 'production'],
  ] as const)(
    'does not log the URL of the documentation if the documentation %s',
    async (_, options, environment) => {
      vi.stubEnv('NODE_ENV', environment)
      onTestFinished(() => void vi.unstubAllEnvs())
      const { app, lines } = setUp(options)
      await app.listen(0)
      expect(lines.map(({ message }) => message)).toEqual([
        expect.stringMatching(/started in \d+ ms$/),
      ])
    },
  )

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '[::1]'],
    ['0.0.0.0', 'localhost'],
  ])('logs a URL that a client can open if the host is %s', async (host, shown) => {
    const { app, lines } = setUp({ controllers: [] })
    const { port } = await app.listen(0, { host })
    const message = expect.stringContaining(`Listening on http://${shown}:${port} with 0 routes`)
    expect(lines).toMatchObject([{ message }])
    expect((await fetch(`http://${shown}:${port}/`)).status).toBe(404)
  })

  it('accepts the host as a second argument', async () => {
    const { app, lines } = setUp()
    const { address, port } = await app.listen(0, '127.0.0.1')
    expect(address).toBe('127.0.0.1')
    expect(lines).toMatchObject([{ facts: { url: `http://127.0.0.1:${port}` } }])
  })

  it('listens on a Unix socket', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'blazon-listen-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, 'app.sock') as SocketPath
    const { app, lines } = setUp()
    expect(await app.listen(path)).toBe(path)
    expect(lines).toMatchObject([{ facts: { url: `unix:${path}` } }])
    expect(lines[0]?.facts).not.toHaveProperty('docs')
    expect(lines[0]?.message).toMatch(/started in \d+ ms$/)
    const status = await new Promise((resolve) => {
      httpGet({ socketPath: path, path: '/users' }, (res) => resolve(res.resume().statusCode))
    })
    expect(status).toBe(200)
  })

  it('logs nothing with `announce: false` or in a TestApp', async () => {
    const { app, lines } = setUp()
    await app.listen(0, { announce: false })
    expect(lines).toEqual([])
    await using tested = await TestApp.create({ controllers: [UsersController] })
    await tested.listen(0)
    expect(tested.logs).toEqual([])
  })

  it('logs the line in a TestApp with `announce: true`, and counts one route as a route', async () => {
    await using app = await TestApp.create({ controllers: [OneController] })
    await app.listen(0, { announce: true })
    const message = expect.stringContaining(' with 1 route, started in ')
    expect(app.logs).toMatchObject([{ level: 'info', message }])
  })

  it('passes the time limits of the options to the server of Node', async () => {
    const { app } = setUp({ timeouts: { headers: '1s', request: '2s', keepAlive: '3s' } })
    await app.init()
    const { headersTimeout, requestTimeout, keepAliveTimeout, maxHeadersCount } = app.server
    expect([headersTimeout, requestTimeout, keepAliveTimeout]).toEqual([1000, 2000, 3000])
    // The application itself counts the headers, so that none is lost.
    expect(maxHeadersCount).toBe(0)
  })

  it('leaves no listener for errors on the server, whether it succeeds or fails', async () => {
    const { app } = setUp()
    await app.init()
    const before = app.server.listenerCount('error')
    await app.listen(0)
    await expect(app.listen(0)).rejects.toMatchObject({ code: 'ERR_SERVER_ALREADY_LISTEN' })
    expect(app.server.listenerCount('error')).toBe(before)
  })

  it('refuses a second call, even while the host name of the first one is being resolved', async () => {
    const { app, lines } = setUp()
    const calls = [app.listen(0, 'localhost'), app.listen(0, 'localhost')]
    const [first, second] = await Promise.allSettled(calls)
    expect(first).toMatchObject({ status: 'fulfilled', value: app.server.address() })
    expect(second).toMatchObject({ reason: { code: 'ERR_SERVER_ALREADY_LISTEN' } })
    expect(lines).toHaveLength(1)
  })

  it('listens at a second address if the first one cannot be used, unless it is closed', async () => {
    const { app } = setUp()
    const folder = mkdtempSync(join(tmpdir(), 'blazon-listen-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const missing = join(folder, 'none/app.sock') as SocketPath
    const calls = [app.listen(missing), app.listen(0, '127.0.0.1')]
    const [first, second] = await Promise.allSettled(calls)
    expect(first).toMatchObject({ reason: { code: 'EACCES' } })
    expect(second).toMatchObject({ value: { address: '127.0.0.1' } })
    const other = setUp().app
    await other.init()
    const both = Promise.allSettled([other.listen(missing), other.listen(0, '127.0.0.1')])
    await Promise.resolve()
    await other.close()
    expect((await both)[1]).toMatchObject({ reason: { message: 'The application is closed.' } })
  })

  it('accepts the largest port', async () => {
    const error = await setUp()
      .app.listen(65_535, '127.0.0.1')
      .catch((reason) => reason)
    // Another program can use the port.
    expect(error).not.toBeInstanceOf(RangeError)
  })

  it.each([-1, 1.5, 65_536, Number.NaN, null, {}, true])('refuses the port %j', async (port) => {
    const message = /is not a port\. It must be a whole number from 0 to 65535/
    await expect(setUp().app.listen(port as number)).rejects.toThrow(message)
  })

  it.each(['3000', ' 3000', 'abc', ''])('refuses the string %j as a port', async (port) => {
    const listening = setUp().app.listen(port as never)
    await expect(listening).rejects.toThrow(`'${port}' is not a port, because it is a string.`)
    await expect(listening).rejects.toBeInstanceOf(RangeError)
  })
})

describe('the error of listen() for an unusable path', () => {
  function makeFolder() {
    const folder = mkdtempSync(join(tmpdir(), 'blazon-listen-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    return (name: string) => join(folder, name) as SocketPath
  }
  const refusal = async (path: SocketPath, code: string) => {
    const { app } = setUp()
    const error: Error = await app.listen(path).then(
      () => expect.fail('It listens.'),
      (reason: Error) => reason,
    )
    expect(error).toMatchObject({ code })
    return error.message
  }

  it('identifies a socket that a killed process left behind', async () => {
    const path = makeFolder()('app.sock')
    const code = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
    spawnSync(process.execPath, ['-e', code, path])
    expect(await refusal(path, 'EADDRINUSE')).toContain(
      'No program listens on this socket: a killed process left it behind. Remove the file',
    )
    rmSync(path)
    expect(await setUp().app.listen(path)).toBe(path)
  })

  it('identifies a socket that another program uses', async () => {
    const path = makeFolder()('app.sock')
    await setUp().app.listen(path)
    expect(await refusal(path, 'EADDRINUSE')).toContain('This path is already in use')
  })

  it('identifies a file or a folder', async () => {
    const pathOf = makeFolder()
    writeFileSync(pathOf('app.sock'), 'text')
    for (const path of [pathOf('app.sock'), pathOf('')]) {
      expect(await refusal(path, 'EADDRINUSE')).toContain('a file or folder that is not a socket')
    }
  })

  it('identifies a folder that does not exist', async () => {
    const path = makeFolder()('none/app.sock')
    expect(await refusal(path, 'EACCES')).toMatch(/The folder .*none does not exist: create it/)
  })
})
