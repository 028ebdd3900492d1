import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A request that a host has got. */
export interface GotRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Another host, which answers on a port of this machine until the test is over. */
export interface OtherHost {
  readonly url: string
  readonly got: GotRequest[]
  readonly server: Server
  /** How many connections it has had. */
  connections: number
}

/** Starts a host. Each request is noted before it is answered. */
export async function otherHost(answer: RequestListener): Promise<OtherHost> {
  const got: GotRequest[] = []
  const server = createServer(async (req, res) => {
    const { method, url, headers } = req
    const body = await text(req).catch(() => '')
    got.push({ method, url, headers, body })
    answer(req, res)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const host = { url: `http://127.0.0.1:${port}`, got, server, connections: 0 }
  server.on('connection', () => {
    host.connections += 1
  })
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  return host
}
