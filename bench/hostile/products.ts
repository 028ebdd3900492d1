import { BadRequestError, csv, type Request, secret } from 'blazon'
import { blameRequest } from 'blazon/plugin'
import { z } from 'zod'
import { fill, type Hostile, hostile } from './body.js'

/** Half of what a body can hold, for each of two parts that are compared with each other. */
const HALF = 50_000

const Alike = z
  .object({ keys: z.array(secret(z.string())), text: z.string() })
  .check(({ value: { text }, issues }) => {
    issues.push({ code: 'custom', path: ['text'], message: text, input: text })
  })

const textOf = (keys: number, keyOf: (index: number) => string, text: string) =>
  JSON.stringify({ keys: Array.from({ length: keys }, (_, n) => keyOf(n)), text })

/** Blames the values of a body for a statement that PostgreSQL has refused. Its plugin sends 20 errors. */
const blame = (code: string, messageOf: (body: readonly string[]) => string) => (req: Request) => {
  const values: readonly string[] = req.body
  const refused = { code, message: messageOf(values), values }
  const { errors = [] } = blameRequest(refused, req, new Error(code)) ?? {}
  throw new BadRequestError('Refused', { code: 'VALIDATION_FAILED', errors: errors.slice(0, 20) })
}

function writeRows({ body }: Request): unknown {
  try {
    return { length: String(csv().serialize(body, {} as never)).length }
  } catch (cause) {
    throw new BadRequestError('The keys of the rows differ', { cause })
  }
}

/** As the header arrives, which has at most 16 kB. */
function acceptOfBody(req: Request): unknown {
  req.headers.accept = req.body.accept
  return { type: String(req.accepts('json')) }
}

/** Bodies of which one part is compared with another one, so that the work may be their product. */
export const PRODUCTS: readonly Hostile[] = hostile('product', [
  {
    name: 'secrets that begin alike',
    schema: Alike,
    text: textOf(100, (n) => 'a'.repeat(480) + n, 'a'.repeat(HALF)),
    status: 400,
    path: 'text',
  },
  {
    name: 'one long secret that is nearly in a text',
    schema: Alike,
    text: textOf(1, () => `${'a'.repeat(HALF / 2)}b`, 'a'.repeat(HALF)),
    status: 400,
    path: 'text',
  },
  {
    name: 'secrets that are longer in URLs',
    schema: Alike,
    text: textOf(10, (n) => 'é'.repeat(4000) + n, 'é'.repeat(5000)),
    status: 400,
  },
  {
    name: 'short secrets',
    schema: Alike,
    text: textOf(7000, (n) => n.toString(36), 'a b '.repeat(HALF / 4)),
    status: 400,
    path: 'text',
  },
  {
    name: 'rows with other keys',
    schema: {},
    text: fill((n) => `{"${n.toString(36)}":1}`),
    status: 400,
    code: 'BAD_REQUEST',
    answer: writeRows,
  },
  {
    name: 'rows with as many other keys as are written',
    schema: {},
    text: JSON.stringify(Array.from({ length: 320 }, (_, n) => ({ [n.toString(36)]: 1 }))),
    status: 200,
    answer: writeRows,
  },
  {
    name: 'quoted values that the database refuses',
    schema: {},
    text: fill((n) => (n === 0 ? JSON.stringify('a'.repeat(HALF)) : JSON.stringify(`aa${n}`))),
    status: 400,
    code: 'VALIDATION_FAILED',
    path: '0',
    answer: blame('22P02', ([first]) => `invalid input syntax for type integer: "${first}"`),
  },
  {
    name: 'equal values that the database refuses',
    schema: {},
    text: fill('"\\u0000"'),
    status: 400,
    answer: blame('22021', () => 'invalid byte sequence for encoding "UTF8": 0x00'),
  },
  {
    name: 'an `Accept` header of quotes and commas',
    schema: {},
    text: JSON.stringify({ accept: '"'.repeat(8001) + ','.repeat(8000) }),
    status: 200,
    answer: acceptOfBody,
  },
])
