import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import { Dashboard } from '../../../src/cli/dev/dashboard/dashboard.js'
import { type PageFiles, readPageFiles } from '../../../src/cli/dev/dashboard/page-files.js'
import { builtPackage } from '../built-package.js'

/** A request that reached the application. */
export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A dashboard on a port, and an application that notes what reaches it. */
export interface OpenDashboard {
  readonly dashboard: Dashboard
  readonly port: number
  readonly token: string
  readonly origin: string
  /** The origin of the application. */
  readonly appOrigin: string
  readonly received: Received[]
  /** Sends a request with the token. */
  ask(path: string, init?: RequestInit): Promise<Response>
}

/** The files of the page as they are published. */
export function builtFiles(): PageFiles {
  return readPageFiles(pathToFileURL(join(builtPackage(), 'dist/cli/dev/dashboard/page/')))
}

/** Files for tests that show no page. */
export const NO_PAGE: PageFiles = new Map([['/', { type: 'text/html', body: 'page' }]])

/** @param onRequest Called when a request has reached the application, before its response. */
export async function openDashboard(
  files: PageFiles = NO_PAGE,
  onRequest: (received: Received) => void = () => {},
): Promise<OpenDashboard> {
  const received: Received[] = []
  const app = createServer(async (req, res) => {
    let body = ''
    for await (const chunk of req) body += chunk
    const { method = '', url = '', headers } = req
    received.push({ method, url, headers, body })
    onRequest({ method, url, headers, body })
    res.setHeader('x-request-id', 'replayed')
    res.end('answered')
  }).listen(0, '127.0.0.1')
  await once(app, 'listening')
  const { port: appPort } = app.address() as { readonly port: number }
  const address = () => ({ host: '127.0.0.1', port: appPort })
  const dashboard = await Dashboard.open({
    port: 0,
    address,
    files,
    cwd: tmpdir(),
    note: () => {},
  })
  onTestFinished(async () => {
    dashboard.close()
    app.closeAllConnections()
    await new Promise((resolve) => app.close(resolve))
  })
  const { origin, port, hash } = new URL(dashboard.url)
  const token = hash.replace('#token=', '')
  const authorization = `Bearer ${token}`
  return {
    dashboard,
    port: Number(port),
    token,
    origin,
    appOrigin: `http://127.0.0.1:${appPort}`,
    received,
    ask: (path, init = {}) =>
      fetch(`${origin}${path}`, { ...init, headers: { authorization, ...init.headers } }),
  }
}
