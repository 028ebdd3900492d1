// What is asked of every candidate. Candidates and checks draw on this one description.
import { z } from 'zod'

const TOKEN = 'a3f1c95be8d24c6f9b7e0d5a'
const USERS_BY_TOKEN = new Map([[TOKEN, { id: 'u-7', roles: ['clerk'] }]])

/** The policy that Blazon's default comes down to, for the others' helmet. */
export const HELMET = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
}

/** Idle seconds a connection lives; the same for all, because Node announces them in a header. */
export const KEEP_ALIVE_SECONDS = 72

export const ORDER = {
  customer: {
    name: 'Grace Hopper',
    email: 'grace@example.com',
    address: { street: '1 Harbour Road', city: 'Arlington', zip: '22201', country: 'US' },
  },
  items: [
    { sku: 'KB-104', quantity: 1, price: 89.5 },
    { sku: 'CB-USB-2M', quantity: 3, price: 7.25 },
    { sku: 'MN-27-4K', quantity: 2, price: 329 },
  ],
  note: 'Leave it with the porter',
}

/** What Express and Blazon validate orders with; Fastify's JSON Schema says the same. */
export const Order = z.object({
  customer: z.object({
    name: z.string().min(1).max(100),
    email: z.email(),
    address: z.object({
      street: z.string().min(1).max(200),
      city: z.string().min(1).max(100),
      zip: z.string().min(3).max(12),
      country: z.string().length(2),
    }),
  }),
  items: z
    .array(
      z.object({
        sku: z.string().min(1).max(40),
        quantity: z.number().int().min(1).max(1000),
        price: z.number().min(0),
      }),
    )
    .min(1)
    .max(50),
  note: z.string().max(500).optional(),
})

export function findUser(id) {
  return { id, name: 'Ada Lovelace', email: 'ada@example.com', roles: ['admin', 'author'] }
}

export function placeOrder({ customer, items }) {
  let total = 0
  for (const { quantity, price } of items) total += quantity * price
  return { id: 'o-1001', customer, items, total }
}

/** The user behind an `Authorization` header. Asynchronous, as every look-up of a token is. */
export async function authenticate(header) {
  return header?.startsWith('Bearer ') ? USERS_BY_TOKEN.get(header.slice(7)) : undefined
}

export function envelope(status, message, data) {
  return { statusCode: 'success', status, message, data }
}

const POST_HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }

export const WORKLOADS = {
  get: {
    title: '(a) `GET /users/:id`, enveloped, no security headers',
    request: { method: 'GET', path: '/users/42', headers: {}, body: undefined },
    expected: { status: 200, body: JSON.stringify(envelope(200, 'User found', findUser('42'))) },
    refused: [],
    goals: { node: 1.15, fastify: 1.05 },
  },
  post: {
    title: "(b) `POST /orders`, async bearer guard, validated nested body, helmet's headers, 201",
    request: {
      method: 'POST',
      path: '/orders',
      headers: POST_HEADERS,
      body: JSON.stringify(ORDER),
    },
    expected: {
      status: 201,
      body: JSON.stringify(envelope(201, 'Order created', placeOrder(ORDER))),
    },
    refused: [
      { because: 'no token', status: 401, headers: { authorization: undefined } },
      { because: 'a wrong token', status: 401, headers: { authorization: 'Bearer wrong' } },
      { because: 'a missing field', status: 400, body: JSON.stringify({ items: ORDER.items }) },
      {
        because: 'a nested number out of range',
        status: 400,
        body: JSON.stringify(ORDER).replace('"quantity":3', '"quantity":0'),
      },
      { because: 'malformed JSON', status: 400, body: '{"customer":' },
    ],
    goals: { node: 1.4, fastify: 0.7, express: 0.25 },
  },
}
