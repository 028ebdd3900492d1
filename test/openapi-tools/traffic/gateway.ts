import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OpenApiDocument } from 'blazon'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { middleware as validator } from 'express-openapi-validator'
import { type Exchange, send } from './exchange.js'

/** An Express application with express-openapi-validator in front of a running one. */
export interface Gateway {
  readonly origin: string
  /** The problems that the validator has found in responses since the last call. */
  takeProblems(): string[]
  close(): Promise<void>
}

/** Options of a gateway. */
export interface GatewayOptions {
  readonly document: OpenApiDocument
  /** The origin of the application. */
  readonly upstream: string
  /** The exchanges that may be sent. A request names the index of its exchange in `x-exchange`. */
  readonly exchanges: readonly Exchange[]
  /** Whether the validator also checks requests and their tokens. */
  readonly validatesRequests: boolean
}

/**
 * Puts the validator between client and application. A request that the validator accepts is sent on unchanged. The
 * validator checks every response, errors included, because the gateway sends them with `res.json` or `res.send`.
 */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { document, validatesRequests } = options
  const problems: string[] = []
  const app = express()
  app.set('query parser', 'extended')
  app.use(express.json({ strict: false }))
  app.use(
    validator({
      apiSpec: structuredClone(document) as never,
      validateApiSpec: true,
      validateRequests: validatesRequests,
      validateSecurity: validatesRequests,
      validateResponses: {
        onError: ({ message }, body) => {
          problems.push(`${message}: ${JSON.stringify(body)?.slice(0, 300)}`)
        },
      },
      // Otherwise the first of the validators would read the stream, and the next one could not.
      fileUploader: validatesRequests ? {} : false,
      ignoreUndocumented: true,
    }) as RequestHandler[],
  )
  app.use(forward(options))
  app.use(refuse)
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    takeProblems: () => problems.splice(0),
    close: () => close(server),
  }
}

function forward({ upstream, exchanges }: GatewayOptions): RequestHandler {
  return async (req, res) => {
    const exchange = exchanges[Number(req.get('x-exchange'))] as Exchange
    const { status, contentType, body, headers } = await send(upstream, exchange)
    for (const name of ['location', 'allow', 'www-authenticate'])
      if (headers[name] !== undefined) res.set(name, headers[name])
    res.status(status)
    if (contentType === '') res.end()
    else if (contentType.endsWith('json')) res.type(contentType).json(body)
    else res.type(contentType).send(body)
  }
}

/** Responds with the refusal of the validator itself. */
export const refuse: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(error.status ?? 500).end(JSON.stringify({ refused: true, message: error.message }))
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
