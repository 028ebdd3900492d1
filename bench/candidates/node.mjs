// The floor: node:http alone. It sends the bytes that Blazon sends in the cheapest way Node has, and checks nothing.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { envelope, findUser, placeOrder, TENANT } from '../orders.mjs'
import { FULL_HEADERS, MIDDLEWARE_HEADERS, withBody } from './floor.mjs'
import { serve } from './serve.mjs'
import { TEN_ERRORS } from './ten-errors.mjs'

/** The floor needs no routes: it is told the one request it will get. */
const workload = process.argv[3]

const PREFIX = '/users/'
const cache = new Map()

function getUser(req, res) {
  const user = findUser(req.url.slice(PREFIX.length))
  send(res, { status: 200, headers: [], body: envelope(200, 'User found', user) })
}

function getCachedUser(req, res) {
  let text = cache.get(req.url)
  if (text === undefined) {
    const user = findUser(req.url.slice(PREFIX.length))
    text = JSON.stringify(envelope(200, 'User found', user))
    cache.set(req.url, text)
  }
  sendText(res, { status: 200, headers: ['Age', '0', 'X-Cache', 'HIT'], text })
}

function createOrder(req, res) {
  withBody(req, (order) => {
    const body = envelope(201, 'Order created', placeOrder(order, TENANT))
    send(res, { status: 201, headers: FULL_HEADERS, body })
  })
}

function createOrderBehindMiddlewares(req, res) {
  withBody(req, (order) => {
    const headers = [...MIDDLEWARE_HEADERS, 'X-Request-Id', randomUUID()]
    const body = envelope(201, 'Order created', placeOrder(order, TENANT))
    send(res, { status: 201, headers, body })
  })
}

function refuseOrder(req, res) {
  withBody(req, () => {
    const body = failure({ status: 400, message: 'Validation failed', code: 'VALIDATION_FAILED' })
    send(res, { status: 400, headers: FULL_HEADERS, body: { ...body, errors: TEN_ERRORS } })
  })
}

function refuseStranger(_req, res) {
  const body = failure({ status: 401, message: 'Authentication is required', code: 'UNAUTHORIZED' })
  send(res, { status: 401, headers: ['WWW-Authenticate', 'Bearer'], body })
}

function missRoute(req, res) {
  const message = `Cannot ${req.method} ${req.url}`
  send(res, {
    status: 404,
    headers: [],
    body: failure({ status: 404, message, code: 'NOT_FOUND' }),
  })
}

function failure({ status, message, code }) {
  return { statusCode: 'error', status, message, code }
}

function send(res, { status, headers, body }) {
  sendText(res, { status, headers, text: JSON.stringify(body) })
}

function sendText(res, { status, headers, text }) {
  res.writeHead(status, [
    ...headers,
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    Buffer.byteLength(text),
  ])
  res.end(text)
}

const LISTENERS = {
  plain: getUser,
  full: createOrder,
  middlewares: createOrderBehindMiddlewares,
  cached: getCachedUser,
  invalid: refuseOrder,
  unauthorized: refuseStranger,
  missing: missRoute,
}

serve(createServer(LISTENERS[workload]))
