// What is answered, and its description as JSON Schema. Numbers and dates are all different, as they are in a database: V8 remembers
// the text of numbers it has seen lately, and a serializer that is measured with ten of them does not write any.

/** Values to take in turn, so that no answer is the same as the last. */
const VALUES = 32

const string = { type: 'string' }
const number = { type: 'number' }
const integer = { type: 'integer' }
const date = { type: 'string', format: 'date-time' }
const array = (items) => ({ type: 'array', items })
const object = (properties) => ({ type: 'object', properties, required: Object.keys(properties) })

const user = object({ id: string, name: string, email: string, roles: array(string) })
const address = object({ street: string, city: string, zip: string, country: string })
const item = object({ sku: string, quantity: integer, price: number })
const customer = object({ name: string, email: string, address })
const order = object({ id: string, customer, items: array(item), total: number })
const point = object({ time: integer, value: number, least: number, most: number })
const dates = { createdAt: date, updatedAt: date }
const article = object({ id: string, title: string, author: user, ...dates })
const payment = object({ id: string, ...dates, total: number })

let seed = 7
function random() {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
  return seed / 0x7fffffff
}

const below = (most) => Math.floor(random() * most)
const money = (most) => below(most * 100) / 100
const anyDate = () => new Date(1_760_000_000_000 + below(3e9))
const list = (length, make) => Array.from({ length }, make)

const makeUser = () => ({
  id: `u-${below(1e6)}`,
  name: 'Ada Lovelace',
  email: `ada${below(1e6)}@example.com`,
  roles: ['admin', 'author'],
})
const makeOrder = () => ({
  id: `o-${below(1e6)}`,
  customer: {
    name: 'Grace Hopper',
    email: `grace${below(1e6)}@example.com`,
    address: {
      street: `${below(200)} Harbour Road`,
      city: 'Arlington',
      zip: String(10_000 + below(80_000)),
      country: 'US',
    },
  },
  items: list(3, () => ({ sku: `KB-${below(1e4)}`, quantity: 1 + below(9), price: money(500) })),
  total: money(4000),
})
const makePoint = () => ({
  time: 1_760_000_000 + below(1e8),
  value: random() * 100,
  least: money(1000),
  most: money(10_000),
})
const makeDates = () => ({ createdAt: anyDate(), updatedAt: anyDate() })
const makeArticle = () => ({
  id: `a-${below(1e6)}`,
  title: 'On the analytical engine',
  author: makeUser(),
  ...makeDates(),
})
const makePayment = () => ({ id: `p-${below(1e6)}`, ...makeDates(), total: money(1000) })

const kinds = {
  user: ['a user', user, makeUser],
  users: ['100 users', array(user), () => list(100, makeUser)],
  orders: ['100 orders', array(order), () => list(100, makeOrder)],
  points: ['250 points of four numbers', array(point), () => list(250, makePoint)],
  article: ['an article with two dates', article, makeArticle],
  payments: ['100 payments with two dates each', array(payment), () => list(100, makePayment)],
}

/** By name: a title, the schema of `data`, and values of it. */
export const ANSWERS = Object.fromEntries(
  Object.entries(kinds).map(([name, [title, schema, make]]) => [name, { title, schema, make }]),
)

/** A function that gives another value of an answer every time. */
export function valuesOf(name) {
  const values = list(VALUES, ANSWERS[name].make)
  let next = 0
  return () => values[next++ % VALUES]
}
