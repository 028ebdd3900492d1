import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type RequestHandler } from 'express'
import { buildDocs, type DocsConfig } from '../../../src/features/docs/build-docs.js'

/** A server of the documentation alone. */
export interface DocsServer extends AsyncDisposable {
  readonly origin: string
}

interface Around {
  /** Run before the documentation. */
  readonly middlewares?: readonly RequestHandler[]
  /** Where the documentation is mounted. Default: the root. */
  readonly prefix?: string
}

/** Serves the routes of `buildDocs` from an Express application on a free port. */
export async function serveDocs(config: DocsConfig, around: Around = {}): Promise<DocsServer> {
  const docs = express()
  for (const { path, handle } of buildDocs(config)) docs.get(path, handle)
  const app = express().disable('x-powered-by')
  for (const middleware of around.middlewares ?? []) app.use(middleware)
  app.use(around.prefix ?? '/', docs)
  const server = createServer(app)
  const { port } = await listen(server)
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => close(server),
  }
}

function listen(server: Server): Promise<AddressInfo> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server.address() as AddressInfo))
  })
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
