import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { App, type AppOptions, type OpenApiDocument } from 'blazon'
import express, { type RequestHandler } from 'express'
import { middleware as validator } from 'express-openapi-validator'
import { beforeAll, describe, expect, it } from 'vitest'
import { APPS } from '../apps/apps.js'
import { documentOf } from '../apps/document-of.js'
import { templateOf, undocumented } from './documented.js'
import { type Answer, type Exchange, send } from './exchange.js'
import { openGateway, refuse } from './gateway.js'
import { createBackend, type Verdict } from './openapi-backend.js'
import { withServer } from './with-server.js'

/** An exchange with its response. */
interface Taken {
  readonly exchange: Exchange
  readonly answer: Answer
}

/** Sends everything to a fresh application, in order. */
function converse(options: AppOptions, exchanges: readonly Exchange[]): Promise<Taken[]> {
  return withServer(options, async (origin) => {
    const taken: Taken[] = []
    for (const exchange of exchanges) taken.push({ exchange, answer: await send(origin, exchange) })
    return taken
  })
}

/** Sends everything through express-openapi-validator, and returns the statuses and the problems. */
function converseGuarded(
  { options, exchanges }: (typeof APPS)[number],
  document: OpenApiDocument,
  validatesRequests: boolean,
): Promise<{ statuses: string[]; problems: string[] }> {
  return withServer(options, async (upstream) => {
    const gateway = await openGateway({ document, upstream, exchanges, validatesRequests })
    const statuses: string[] = []
    const problems: string[] = []
    for (const [index, exchange] of exchanges.entries()) {
      const { status } = await send(gateway.origin, exchange, { 'x-exchange': String(index) })
      statuses.push(`${exchange.name}: ${status}`)
      problems.push(...gateway.takeProblems().map((problem) => `${exchange.name}: ${problem}`))
    }
    await gateway.close()
    return { statuses, problems }
  })
}

// The validator reads uploads itself, so the application runs without its own middleware for uploads. One application is
// tested in each place, because the validator compiles the whole document each time.
const PLACES = [
  [
    'as middleware of the application',
    'orders',
    async (options: AppOptions, middlewares: RequestHandler[]) => {
      const app = new App({ ...options, middlewares })
      const { port } = await app.listen(0, '127.0.0.1')
      return { origin: `http://127.0.0.1:${port}`, close: () => app.close() }
    },
  ],
  [
    'as middleware of an Express application that contains the application',
    'museum',
    async (options: AppOptions, validators: RequestHandler[]) => {
      const app = await App.create({ ...options, middlewares: [] })
      const server = createServer(express().use(validators, app.handler, refuse))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const close = async () => {
        server.closeAllConnections()
        server.close()
        await app.close()
      }
      return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
    },
  ],
] as const

describe.each(APPS)('the recorded traffic of $name', (app) => {
  const { options, exchanges } = app
  const document = documentOf(options)
  const expected = exchanges.map((exchange) => `${exchange.name}: ${exchange.status}`)
  let taken: Taken[]
  let verdicts: (Verdict & { exchange: Exchange })[]

  beforeAll(async () => {
    taken = await converse(options, exchanges)
    const validate = await createBackend(document)
    verdicts = taken.map(({ exchange, answer }) => ({ exchange, ...validate(exchange, answer) }))
  })

  it('is checked with the document that the application serves', async () => {
    const served = await withServer(options, (origin) =>
      send(origin, { name: 'the document', method: 'GET', path: '/api-docs.json', status: 200 }),
    )
    expect(served.body).toEqual(document)
  })

  it('has the expected statuses', () => {
    expect(taken.map(({ exchange, answer }) => `${exchange.name}: ${answer.status}`)).toEqual(
      expected,
    )
  })

  it('has no response with an undocumented status or media type, or without a documented header', () => {
    const problems = taken.flatMap(({ exchange, answer }) =>
      undocumented(document, exchange, answer).map((problem) => `${exchange.name}: ${problem}`),
    )
    expect(problems).toEqual([])
  })

  it('contains a request to every operation of the document', () => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    )
    const used = exchanges.map(
      (exchange) => `${exchange.method.toLowerCase()} ${templateOf(document, exchange)}`,
    )
    expect(operations.filter((operation) => !used.includes(operation))).toEqual([])
  })

  it('contains only the intended invalid requests according to openapi-backend', () => {
    const refused = verdicts.filter(({ request }) => request.length > 0)
    const wrong = exchanges.filter(
      ({ isRefused, text }) => isRefused === true || text !== undefined,
    )
    expect(refused.map(({ exchange }) => exchange.name)).toEqual(wrong.map((one) => one.name))
  })

  it('contains only valid responses according to openapi-backend', () => {
    expect(verdicts.filter(({ answer }) => answer.length > 0)).toEqual([])
  })

  it('passes express-openapi-validator, which checks every response', async () => {
    const { statuses, problems } = await converseGuarded(app, document, false)
    expect(problems).toEqual([])
    expect(statuses).toEqual(expected)
  })

  it('passes express-openapi-validator, which refuses the same requests as the application', async () => {
    const { statuses, problems } = await converseGuarded(app, document, true)
    expect(problems).toEqual([])
    expect(statuses).toEqual(expected)
  })

  const places = PLACES.filter(([, name]) => name === app.name)
  it.each(places)('passes express-openapi-validator %s', async (_place, _name, start) => {
    const problems: string[] = []
    const validators = [
      express.json({ strict: false }),
      ...validator({
        apiSpec: structuredClone(document) as never,
        validateSecurity: false,
        // The validator would read the form, and nothing would be left of it for the route.
        ignorePaths: /\/receipt$/,
        ignoreUndocumented: true,
        validateResponses: { onError: ({ message }) => problems.push(message) },
      }),
    ]
    const { origin, close } = await start(options, validators)
    const answers: string[] = []
    for (const exchange of exchanges) {
      const { status } = await send(origin, exchange)
      answers.push(`${exchange.name}: ${status}`)
    }
    await close()
    expect(answers).toEqual(expected)
    expect(problems).toEqual([])
  })
})
