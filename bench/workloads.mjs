// What is asked of the candidates: requests, and the answers they must get.
import {
  AUTHORIZATION,
  envelope,
  findUser,
  ORDER,
  ORIGIN,
  placeOrder,
  TENANT,
  WRONG_ORDER,
} from './orders.mjs'
import { ROUTE_WORKLOADS } from './routes.mjs'

const POST_HEADERS = {
  authorization: AUTHORIZATION,
  'content-type': 'application/json',
  origin: ORIGIN,
  'x-tenant-id': TENANT,
}

const placeAnOrder = {
  method: 'POST',
  path: '/orders',
  headers: POST_HEADERS,
  body: JSON.stringify(ORDER),
}
const created = {
  status: 201,
  body: JSON.stringify(envelope(201, 'Order created', placeOrder(ORDER, TENANT))),
}

/** What every candidate but the floor must refuse before its full stack is worth timing. */
const REFUSED_ORDERS = [
  { because: 'no token', status: 401, headers: { authorization: undefined } },
  { because: 'a wrong token', status: 401, headers: { authorization: 'Bearer wrong' } },
  { because: 'no tenant', status: 400, headers: { 'x-tenant-id': undefined } },
  { because: 'a tenant that cannot be', status: 400, headers: { 'x-tenant-id': 'a/b' } },
  { because: 'a missing field', status: 400, body: JSON.stringify({ items: ORDER.items }) },
  {
    because: 'a nested number out of range',
    status: 400,
    body: JSON.stringify(ORDER).replace('"quantity":3', '"quantity":0'),
  },
  { because: 'malformed JSON', status: 400, body: '{"customer":' },
]

/**
 * Each has the `app` that a candidate must be for it, a request, and the status that is expected; the `body` where frameworks do not
 * word it themselves, and the number of `errors` where they do.
 */
export const WORKLOADS = {
  plain: {
    title: '`GET /users/:id`, enveloped, no security headers',
    app: 'plain',
    request: { method: 'GET', path: '/users/42', headers: {} },
    expected: { status: 200, body: JSON.stringify(envelope(200, 'User found', findUser('42'))) },
  },
  full: {
    title:
      'the full stack: `POST /orders` with guard, tenant, validated body, helmet, CORS, rate limit, 201',
    app: 'full',
    request: placeAnOrder,
    expected: created,
    refused: REFUSED_ORDERS,
  },
  observed: {
    title:
      'the full stack with request ids, a line of the log for each request, metrics, and responses limited to their schema',
    app: 'observed',
    request: placeAnOrder,
    expected: created,
    refused: REFUSED_ORDERS,
    sent: ['x-request-id'],
  },
  middlewares: {
    title: 'the full stack behind ten Express middlewares',
    app: 'middlewares',
    request: {
      ...placeAnOrder,
      headers: {
        ...POST_HEADERS,
        'accept-encoding': 'gzip, br',
        'accept-language': 'de, en;q=0.8',
        cookie: 'theme=dark; seen=2026-07-01',
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0',
      },
    },
    expected: created,
    refused: REFUSED_ORDERS,
  },
  cached: {
    title: 'a hit of the memory cache',
    app: 'cached',
    request: { method: 'GET', path: '/users/42', headers: {} },
    expected: { status: 200, body: JSON.stringify(envelope(200, 'User found', findUser('42'))) },
  },
  invalid: {
    title: '400: the full stack with ten wrong fields',
    app: 'full',
    request: { ...placeAnOrder, body: JSON.stringify(WRONG_ORDER) },
    expected: { status: 400, errors: 10 },
  },
  unauthorized: {
    title: '401: a guarded route without a token',
    app: 'guarded',
    request: { method: 'GET', path: '/account', headers: {} },
    expected: { status: 401 },
    accepted: [{ because: 'a token', status: 200, headers: { authorization: AUTHORIZATION } }],
  },
  missing: {
    title: '404: no such route',
    app: 'plain',
    request: { method: 'GET', path: '/nowhere/42', headers: {} },
    expected: { status: 404 },
  },
  ...ROUTE_WORKLOADS,
}
