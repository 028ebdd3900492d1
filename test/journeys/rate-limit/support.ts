import { type RequestOptions, request } from 'node:http'
import { App, type AppOptions, type Request } from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { afterEach } from 'vitest'

/** Starts applications, and closes them after the test. */
export function appsOfTest() {
  const running: { close(): unknown }[] = []
  afterEach(async () => {
    await Promise.all(running.splice(0).map((app) => app.close()))
  })
  return {
    /** Starts a TestApp. Its clock is stopped, so that the rest of a window is exact. */
    async inProcess(options: TestOptions): Promise<TestApp> {
      const app = await TestApp.create({ contract: 'throw', ...options })
      running.push(app)
      await app.clock.advance(0)
      return app
    },
    /** Listens on a port, and returns the port. */
    async listening(options: AppOptions, host = '127.0.0.1'): Promise<number> {
      const app = new App({ logger: false, ...options })
      running.push(app)
      const { port } = await app.listen(0, host)
      return port
    },
  }
}

/** Statuses of requests, one after the other. */
export async function statuses(app: TestApp, ...paths: string[]): Promise<number[]> {
  const found: number[] = []
  for (const path of paths) found.push((await app.request().get(path)).status)
  return found
}

/** The status of a request over a new connection. */
export function statusOf(options: RequestOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', path: '/items', agent: false, ...options }, (res) => {
      res.resume().on('end', () => resolve(res.statusCode ?? 0))
    })
    req.on('error', reject)
    req.end()
  })
}

/** Uses the header `x-user` as the user id, and `x-roles` as the roles. */
export const namedGuard = {
  canActivate(req: Request) {
    const id = req.get('x-user')
    if (id !== undefined) req.user = { id, roles: req.get('x-roles')?.split(',') ?? [] }
    return id !== undefined
  },
}
