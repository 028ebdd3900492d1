import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { App, Body, Controller, Get, Post, type Request } from 'blazon'
import express from 'express'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { TEXT } from './text.js'

/** A server, and the methods of the requests that have reached a handler. */
export interface WireServer {
  readonly port: number
  readonly ran: string[]
}

/**
 * Each server has `GET /hello`, and `POST /echo`, which reads JSON. Both respond with what they have understood. The server of
 * Node has one handler for everything, which responds with 404 to other paths.
 */
export const SERVERS = { node: startNode, express: startExpress, blazon: startBlazon } as const

export type ServerName = keyof typeof SERVERS

const FIVE_MB = 5 * 1024 * 1024

async function startNode(): Promise<WireServer> {
  const ran: string[] = []
  const server = createServer((req, res) => {
    ran.push(`${req.method}`)
    void respond(req, res)
  })
  return { port: await listening(server), ran }
}

/** What most people write: the path decides, and every body is read. */
async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const path = req.url?.split('?', 1)[0]
  try {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    if (path === '/hello') return send(res, TEXT.hello(req.method, req.url))
    if (path === '/echo') return send(res, TEXT.echo(JSON.parse(String(Buffer.concat(chunks)))))
    res.statusCode = 404
  } catch {
    res.statusCode = 400
  }
  res.end()
}

function send(res: ServerResponse, text: string): void {
  res.setHeader('Content-Length', Buffer.byteLength(text))
  res.end(text)
}

async function startExpress(): Promise<WireServer> {
  const ran: string[] = []
  const app = express()
  app.use(express.json({ limit: FIVE_MB, strict: false }))
  app.get('/hello', (req, res) => {
    ran.push(req.method)
    res.send(TEXT.hello(req.method, req.url))
  })
  app.post('/echo', (req, res) => {
    ran.push(req.method)
    res.send(TEXT.echo(req.body))
  })
  const onError: express.ErrorRequestHandler = (error, _req, res, _next) => {
    res.status(error.status ?? 500).end()
  }
  app.use(onError)
  return { port: await listening(createServer(app)), ran }
}

async function startBlazon(): Promise<WireServer> {
  const ran: string[] = []

  @Controller()
  class WireController {
    @Get('hello')
    hello(req: Request) {
      ran.push(req.method)
      return TEXT.hello(req.method, req.url)
    }

    @Post('echo')
    @Body(z.unknown())
    echo(req: Request) {
      ran.push(req.method)
      return TEXT.echo(req.body)
    }
  }

  const logger = { info() {}, warn() {}, error() {} }
  const app = new App({ controllers: [WireController], logger, limits: { body: FIVE_MB } })
  onTestFinished(() => app.close())
  return { port: (await app.listen(0, '127.0.0.1')).port, ran }
}

async function listening(server: Server): Promise<number> {
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return address.port
}
