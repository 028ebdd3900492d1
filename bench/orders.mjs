// The shop that every candidate is: users, orders, a token and a tenant. It imports nothing, so that no candidate carries what it does not use.

const TOKEN = 'a3f1c95be8d24c6f9b7e0d5a'
const USERS_BY_TOKEN = new Map([[TOKEN, { id: 'u-7', roles: ['clerk'] }]])
const TENANT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

export const AUTHORIZATION = `Bearer ${TOKEN}`
export const TENANT = 'acme'

/** The one origin that CORS lets read. */
export const ORIGIN = 'https://shop.example'

/** Requests a minute for an address: counted, and never reached. */
export const RATE_LIMIT = 1_000_000_000
export const RATE_WINDOW_SECONDS = 60

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

/** Ten fields are wrong, each in one way that every validator sees. */
export const WRONG_ORDER = {
  customer: {
    name: '',
    email: 'nobody',
    address: { street: '', city: '', zip: '1', country: 'USA' },
  },
  items: [
    { sku: '', quantity: 0, price: -1 },
    { sku: 'CB-USB-2M', quantity: 0, price: 7.25 },
  ],
  note: 'Leave it with the porter',
}

export function findUser(id) {
  return { id, name: 'Ada Lovelace', email: 'ada@example.com', roles: ['admin', 'author'] }
}

export function placeOrder({ customer, items }, tenant) {
  let total = 0
  for (const { quantity, price } of items) total += quantity * price
  return { id: 'o-1001', tenant, customer, items, total }
}

/** The user behind an `Authorization` header. Asynchronous, as every look-up of a token is. */
export async function authenticate(header) {
  return header?.startsWith('Bearer ') ? USERS_BY_TOKEN.get(header.slice(7)) : undefined
}

/** The tenant that an `X-Tenant-Id` header names, if it can be one. */
export function tenantOf(header) {
  return header !== undefined && TENANT_ID.test(header) ? header : undefined
}

export function envelope(status, message, data) {
  return { statusCode: 'success', status, message, data }
}
