import { mkdtempSync, rmSync } from 'node:fs'
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
  it('logs one line: where, how many routes, and how long the start took', async () => {
    const { app, lines } = setUp()
    const { port } = await app.listen(0)
    const url = `http://localhost:${port}`
    expect(lines).toHaveLength(1)
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
  ] as const)('names no documentation that %s', async (_, options, environment) => {
    vi.stubEnv('NODE_ENV', environment)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { app, lines } = setUp(options)
    await app.listen(0)
    expect(lines.map(({ message }) => message)).toEqual([
      expect.stringMatching(/started in \d+ ms$/),
    ])
  })

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '[::1]'],
    ['0.0.0.0', 'localhost'],
  ])('names a URL that can be opened for the host %s', async (host, shown) => {
    const { app, lines } = setUp({ controllers: [] })
    const { port } = await app.listen(0, { host })
    const message = expect.stringContaining(`Listening on http://${shown}:${port} with 0 routes`)
    expect(lines).toMatchObject([{ message }])
    expect((await fetch(`http://${shown}:${port}/`)).status).toBe(404)
  })

  it('takes the host as a second argument', async () => {
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
    const status = await new Promise((resolve) => {
      httpGet({ socketPath: path, path: '/users' }, (res) => resolve(res.resume().statusCode))
    })
    expect(status).toBe(200)
  })

  it('logs nothing with announce: false, and nothing in a TestApp', async () => {
    const { app, lines } = setUp()
    await app.listen(0, { announce: false })
    expect(lines).toEqual([])
    await using tested = await TestApp.create({ controllers: [UsersController] })
    await tested.listen(0)
    expect(tested.logs).toEqual([])
  })

  it.each([-1, 1.5, 65_536, Number.NaN, '3000', ''])('refuses the port %j', async (port) => {
    const { app } = setUp()
    await expect(app.listen(port as number)).rejects.toThrow(RangeError)
  })
})
