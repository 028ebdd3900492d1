// The floor: node:http alone. It sends the bytes that Blazon sends in the cheapest way Node has, and checks nothing.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import {
  envelope,
  findUser,
  ORIGIN,
  placeOrder,
  RATE_LIMIT,
  RATE_WINDOW_SECONDS,
  TENANT,
} from '../orders.mjs'
import { serve } from './serve.mjs'
import { TEN_ERRORS } from './ten-errors.mjs'

/** The floor needs no routes: it is told the one request it will get. */
const workload = process.argv[3]

const HELMET_HEADERS = [
  ['Content-Security-Policy', "default-src 'none';frame-ancestors 'none'"],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Origin-Agent-Cluster', '?1'],
  ['Referrer-Policy', 'no-referrer'],
  ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-DNS-Prefetch-Control', 'off'],
  ['X-Download-Options', 'noopen'],
  ['X-Frame-Options', 'SAMEORIGIN'],
  ['X-Permitted-Cross-Domain-Policies', 'none'],
  ['X-XSS-Protection', '0'],
].flat()

const LIMIT_HEADERS = [
  ['RateLimit-Policy', `"default";q=${RATE_LIMIT};w=${RATE_WINDOW_SECONDS}`],
  ['RateLimit', `"default";r=${RATE_LIMIT - 1};t=${RATE_WINDOW_SECONDS}`],
].flat()

const corsHeaders = (vary) => ['Access-Control-Allow-Origin', ORIGIN, 'Vary', vary]
const PRIVATE = ['Cache-Control', 'no-store']
const FULL_HEADERS = [...HELMET_HEADERS, ...corsHeaders('Origin'), ...LIMIT_HEADERS, ...PRIVATE]
const MIDDLEWARE_HEADERS = [
  ...HELMET_HEADERS,
  ...corsHeaders('Origin, Accept-Encoding'),
  ...LIMIT_HEADERS,
  ...PRIVATE,
]

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

/** Calls back with a request's body, parsed. */
function withBody(req, callback) {
  const chunks = []
  req.on('data', (chunk) => chunks.push(chunk))
  req.on('end', () => {
    const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
    callback(JSON.parse(bytes.toString()))
  })
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
